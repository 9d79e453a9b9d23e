import { scopesOf } from '../../clients/client-products.ts'
import { ifUnchanged } from '../../clients/client-etag.ts'
import { isGatewayKey } from '../../clients/client.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import type { ClientAction } from './client-action-types.ts'
import { CREDENTIAL_ACTIONS } from './credential-actions.ts'
import { givesMore, operationsBeyond, requireOperation } from './permissions-on-clients.ts'

const INVALID = ['ERR_INVALID_ARGUMENT'] as const
const TOO_LARGE = ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE'] as const

const KEY_POINTS = ['handOverTokens', 'handOverToPerson', 'handOverToAccount'] as const
const SECRETS_STAY = ['handOverSecrets'] as const
const ENABLE = {
  title: 'clients*Enable',
  what: 'clientsEnableHint',
  button: 'enableButton',
  done: 'doneClientEnabled',
} as const

/** What can be done with a client that exists: the permission, a fresh sign-in, what is asked or typed, the texts. */
export const CLIENT_ACTIONS = {
  update: {
    path: 'patch ',
    owner: {
      act: 'write',
      alsoNeeds: ({ changes }, client) => (givesMore(client, changes) ? 'give' : undefined),
      operationId: 'update*',
      summary: 'Change the fields of {client}',
      body: '*Changes',
      description: 'A field that is left out stays as it is.',
      errors: INVALID,
    },
    run({ service, client, clientId, change, input: { changes } }) {
      const isLimited = changes.expiresAt !== undefined || changes.allowedAddresses !== undefined
      return service.update(clientId, changes, isLimited ? ifUnchanged(change, client) : change)
    },
  },
  delete: {
    path: 'delete ',
    owner: {
      act: 'delete',
      freshSignIn: { apiKey: 'keys:delete', application: 'applications:delete' },
      operationId: 'delete*',
      summary: 'Delete {client} for good, and revoke its tokens',
      description: 'A repeat gets 404, like any unknown id.',
      answer: 'none',
      isConditional: true,
      texts: {
        title: 'clients*Delete',
        what: 'clientsDeleteHint',
        button: 'clientsDeleteLink',
        done: 'doneClientDeleted',
      },
      asks() {
        const points = ['clientsDeleteTokens', 'clients*DeleteWhat', 'clientsDeleteForever'] as const
        const how = { button: 'clients*Delete', isDanger: true, typed: 'name' } as const
        return { title: 'clientsDeleteTitle', points, ...how } as const
      },
    },
    run: ({ service, clientId, change }) => service.delete(clientId, change),
  },
  addProduct: {
    path: 'put /products/{product}',
    owner: {
      act: 'give',
      operationId: 'add*Product',
      summary: 'Add a product with all its operations',
      errors: TOO_LARGE,
      texts: { done: 'doneProductAdded' },
      asks: 'nothing',
    },
    async run({ parts, service, client, clientId, caller, change, input }) {
      const removedOperations = await operationsBeyond(parts, caller, client.kind, [input.product])
      return service.addProduct(clientId, input.product, { ...change, removedOperations })
    },
  },
  removeProduct: {
    path: 'delete /products/{product}',
    owner: {
      act: 'write',
      operationId: 'remove*Product',
      summary: 'Remove a product, and revoke the tokens issued so far',
      errors: INVALID,
      texts: {
        title: 'clientsRemoveProductTitle',
        what: 'clientsReportTokens',
        button: 'clientsRemoveProduct',
        done: 'doneProductRemoved',
      },
    },
    run: ({ service, clientId, change, input }) => service.removeProduct(clientId, input.product, change),
  },
  removeOperation: {
    path: 'delete /operations/{scope}',
    owner: {
      act: 'write',
      operationId: 'remove*Operation',
      summary: 'Remove one operation, and revoke the tokens issued so far',
      errors: INVALID,
      texts: {
        title: 'clientsRemoveOperationTitle',
        what: 'clientsReportTokens',
        button: 'clientsRemove',
        done: 'doneOperationRemoved',
      },
    },
    // If the product was removed in another tab, the operation is lost already.
    isDone: (client, { parts: { catalog }, input }) =>
      catalog.current.operations.has(input.scope) &&
      !scopesOf(catalog.current, client.products).includes(input.scope),
    run: ({ service, clientId, change, input }) => service.removeOperation(clientId, input.scope, change),
  },
  restoreOperation: {
    path: 'put /operations/{scope}',
    owner: {
      act: 'give',
      operationId: 'restore*Operation',
      summary: 'Restore an operation that was removed',
      errors: TOO_LARGE,
      texts: { done: 'doneOperationRestored' },
      asks: 'nothing',
    },
    async run({ parts, service, client, clientId, caller, change, input }) {
      await requireOperation(parts, caller, client, input.scope)
      return service.restoreOperation(clientId, input.scope, change)
    },
  },
  revokeTokens: {
    path: 'post /revoke',
    operator: {
      operationId: 'revokeClient',
      summary: 'Revoke all access tokens of a client; its secret stays valid',
      answer: 'RevokedAccess',
      texts: {
        title: 'operatorRevokeTokens',
        what: 'operatorRevokeTokensText',
        button: 'operatorRevokeTokens',
        done: 'doneOperatorRevoked',
      },
    },
    isRowShown: (client) => !isGatewayKey(client),
    runById: ({ parts: { tokens }, clientId, change }) => tokens.revokeAll({ clientId }, change),
  },
  disable: {
    path: 'post /disable',
    owner: {
      act: 'write',
      operationId: 'disable*',
      summary: 'Disable {client}, and revoke its tokens',
      texts: {
        title: 'clientsDisableTitle',
        what: 'clientsDisableHint',
        button: 'disableButton',
        done: 'doneClientDisabled',
      },
    },
    operator: {
      operationId: 'disableClient',
      summary: 'Disable a client of any account, and revoke its tokens',
      answer: 'none',
      texts: {
        title: 'clientsDisableTitle',
        what: 'operatorDisableText',
        button: 'disableButton',
        done: 'doneOperatorDisabled',
      },
    },
    // An operator may disable what its owner has disabled: the owner then cannot enable the client.
    isRowShown: ({ disabled, disabledBy }, by) =>
      disabledBy === undefined && (!disabled || by === 'operator'),
    run: ({ service, clientId, change, by }) => service.disable(clientId, { ...change, by }),
  },
  enable: {
    path: 'post /enable',
    owner: {
      act: 'give',
      operationId: 'enable*',
      summary: 'Enable {client} that was disabled',
      errors: ['ERR_DISABLED_BY_OPERATOR'],
      texts: ENABLE,
      asks: 'nothing',
    },
    operator: {
      operationId: 'enableClient',
      summary: 'Enable a client that was disabled',
      answer: 'none',
      texts: ENABLE,
      asks: 'nothing',
    },
    isRowShown: ({ disabled, disabledBy }, by) => disabled && (disabledBy === undefined || by === 'operator'),
    run: ({ service, clientId, change, by }) => service.enable(clientId, { ...change, by }),
  },
  handOver: {
    path: 'put /owner',
    owner: {
      act: 'handOver',
      alsoNeeds: ({ userId }) => (userId === null ? 'handToAccount' : undefined),
      freshSignIn: { apiKey: 'keys:rotate' },
      operationId: 'handOver*',
      summary: 'Give {client} to a user of the account, or to the account itself',
      body: 'NewOwner',
      description: {
        apiKey:
          'The tokens issued so far are revoked, because they act as the present owner. If a user gets the key, all its public keys are removed and all its secrets are revoked. The secrets stay valid if each of them was shown to this user only. If the account gets the key, secrets and public keys stay valid, and the caller must be allowed to use all operations of the key.',
        application: 'The secrets stay valid.',
      },
      errors: INVALID,
      texts: {
        title: 'clients*HandOver',
        what: 'handOverWhat',
        button: 'handOverLink',
        done: 'doneHandedOver',
      },
      asks(client) {
        const ofApplication = isPublicClient(client) ? [] : SECRETS_STAY
        const points = ['handOverWhat', ...(client.kind === 'apiKey' ? KEY_POINTS : ofApplication)] as const
        const how = { button: 'clients*HandOver', isDanger: false, typed: 'newOwner' } as const
        return { title: 'handOverTitle', points, ...how } as const
      },
    },
    // An account without users has no other person to whom it could hand the client over.
    isRowShown: ({ userId }, _by, caller) => (userId ?? caller.userId) !== undefined,
    run: ({ service, client, clientId, change, input }) =>
      service.handOver(clientId, input.userId, { ...ifUnchanged(change, client), protectNewOwner: true }),
  },
  ...CREDENTIAL_ACTIONS,
  setLimits: {
    path: 'put /limits',
    part: 'limits',
    operator: {
      operationId: 'setLimits',
      summary: 'Give a client limits of its own, instead of the limits of all clients',
      body: 'NewLimits',
      description: 'A limit that is left out does not apply to the client. At least one limit is needed.',
    },
    run: ({ service, clientId, change, input }) => service.setLimits(clientId, input.limits, change),
  },
  removeLimits: {
    path: 'delete /limits',
    part: 'limits',
    operator: { operationId: 'removeLimits', summary: 'Remove the limits that a client has of its own' },
    run: ({ service, clientId, change }) => service.setLimits(clientId, null, change),
  },
} as const satisfies Readonly<Record<string, ClientAction>>

export type ActionName = keyof typeof CLIENT_ACTIONS

/** The rows with consequences in two parts of the pages of a client, for owners and operators. */
export const LISTED_ACTIONS = {
  secrets: ['reportCompromised'],
  settings: ['enable', 'disable', 'revokeTokens', 'handOver', 'delete'],
} as const satisfies Readonly<Record<string, readonly ActionName[]>>
