import { scopesOf } from '../../clients/client-products.ts'
import { ifUnchanged } from '../../clients/client-etag.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import { operationsBeyond, requireOperation } from './key-limits.ts'
import type { ClientAction } from './run-action.ts'

const INVALID = ['ERR_INVALID_ARGUMENT'] as const
const TOO_LARGE = ['ERR_INVALID_ARGUMENT', 'ERR_SCOPE_TOO_LARGE'] as const
const ROTATES = { apiKey: 'keys:rotate', application: 'applications:rotate' } as const

const KEY_POINTS = ['handOverTokens', 'handOverToPerson', 'handOverToAccount'] as const
const SECRETS_STAY = ['handOverSecrets'] as const
const USERS_STAY = ['clientsReportUsers'] as const

/** Everything that can be done with a client beside changes of its fields, in the order of the OpenAPI document. */
export const CLIENT_ACTIONS = {
  delete: {
    act: 'delete',
    confirms: { apiKey: 'keys:delete', application: 'applications:delete' },
    route: ['delete', 'delete*'],
    summary: 'Delete {client} for good, and revoke its tokens',
    description: 'A repeat gets 404, like any unknown id.',
    answer: null,
    isConditional: true,
    texts: ['clients*Delete', 'clientsDeleteHint', 'clientsDeleteLink', 'doneClientDeleted'],
    page() {
      const points = ['clientsDeleteTokens', 'clients*DeleteWhat', 'clientsDeleteForever'] as const
      return { title: 'clientsDeleteTitle', points, button: 'clients*Delete' } as const
    },
    run: ({ service, clientId, change }) => service.delete(clientId, change),
  },
  addProduct: {
    act: 'give',
    route: ['put /products/{product}', 'add*Product'],
    summary: 'Add a product with all its operations',
    errors: TOO_LARGE,
    done: 'doneProductAdded',
    async run({ parts, service, client, clientId, caller, change, input }) {
      const removedOperations = await operationsBeyond(parts, caller, client.kind, [input.product])
      return service.addProduct(clientId, input.product, { ...change, removedOperations })
    },
  },
  removeProduct: {
    act: 'write',
    route: ['delete /products/{product}', 'remove*Product'],
    summary: 'Remove a product, and revoke the tokens issued so far',
    errors: INVALID,
    texts: ['clientsRemoveProductTitle', 'clientsReportTokens', 'clientsRemoveProduct', 'doneProductRemoved'],
    run: ({ service, clientId, change, input }) => service.removeProduct(clientId, input.product, change),
  },
  removeOperation: {
    act: 'write',
    route: ['delete /operations/{scope}', 'remove*Operation'],
    summary: 'Remove one operation, and revoke the tokens issued so far',
    errors: INVALID,
    texts: ['clientsRemoveOperationTitle', 'clientsReportTokens', 'clientsRemove', 'doneOperationRemoved'],
    // If the product was removed in another tab, the operation is lost already.
    isDone: (client, { parts: { catalog }, input }) =>
      catalog.current.operations.has(input.scope) &&
      !scopesOf(catalog.current, client.products).includes(input.scope),
    run: ({ service, clientId, change, input }) => service.removeOperation(clientId, input.scope, change),
  },
  restoreOperation: {
    act: 'give',
    route: ['put /operations/{scope}', 'restore*Operation'],
    summary: 'Restore an operation that was removed',
    errors: TOO_LARGE,
    done: 'doneOperationRestored',
    async run({ parts, service, client, clientId, caller, change, input }) {
      await requireOperation(parts, caller, client, input.scope)
      return service.restoreOperation(clientId, input.scope, change)
    },
  },
  revokeTokens: {
    route: ['post /revoke', undefined, 'revokeClient'],
    operatorSummary: 'Revoke all access tokens of a client; its secret stays valid',
    answer: 'RevokedAccess',
    operatorTexts: [
      'operatorRevokeTokensTitle',
      'operatorRevokeTokensText',
      'operatorRevokeTokens',
      'doneOperatorRevoked',
    ],
    worksWithoutClient: true,
    run: ({ parts: { tokens }, clientId, change }) => tokens.revokeAll({ clientId }, change),
  },
  disable: {
    act: 'write',
    route: ['post /disable', 'disable*', 'disableClient'],
    summary: 'Disable {client}, and revoke its tokens',
    operatorSummary: 'Disable a client of any account, and revoke its tokens',
    texts: ['clients*Disable', 'clientsDisableHint', 'disableButton', 'doneClientDisabled'],
    operatorTexts: ['operatorDisableTitle', 'operatorDisableText', 'disableButton', 'doneOperatorDisabled'],
    // An operator may disable what its owner has disabled: the owner then cannot enable the client.
    isRowShown: ({ disabled, disabledBy }, by) =>
      disabledBy === undefined && (!disabled || by === 'operator'),
    run: ({ service, clientId, change, by }) => service.disable(clientId, { ...change, by }),
  },
  enable: {
    act: 'give',
    route: ['post /enable', 'enable*', 'enableClient'],
    summary: 'Enable {client} that was disabled',
    operatorSummary: 'Enable a client that was disabled',
    errors: ['ERR_DISABLED_BY_OPERATOR'],
    texts: ['clients*Enable', 'clientsEnableHint', 'enableButton', 'doneClientEnabled'],
    operatorTexts: ['operatorEnableTitle', 'operatorEnableText', 'enableButton', 'doneOperatorEnabled'],
    asksNothing: true,
    isRowShown: ({ disabled, disabledBy }, by) => disabled && (disabledBy === undefined || by === 'operator'),
    run: ({ service, clientId, change, by }) => service.enable(clientId, { ...change, by }),
  },
  handOver: {
    act: 'handOver',
    alsoNeeds: ({ userId }) => (userId === null ? 'handToAccount' : undefined),
    confirms: { apiKey: 'keys:rotate' },
    route: ['put /owner', 'handOver*'],
    summary: 'Give {client} to a user of the account, or to the account itself',
    description: {
      apiKey:
        'The tokens issued so far are revoked, because they act as the present owner. If a user gets the key, all its public keys are removed and all its secrets are revoked. The secrets stay valid if each of them was shown to this user only. If the account gets the key, secrets and public keys stay valid, and the caller must be allowed to use all operations of the key.',
      application: 'The secrets stay valid.',
    },
    body: 'NewOwner',
    errors: INVALID,
    done: 'doneHandedOver',
    page(client) {
      const ofApplication = isPublicClient(client) ? [] : SECRETS_STAY
      const points = ['handOverWhat', ...(client.kind === 'apiKey' ? KEY_POINTS : ofApplication)] as const
      return { title: 'handOverTitle', points, button: 'clients*HandOver' } as const
    },
    run: ({ service, client, clientId, change, input }) =>
      service.handOver(clientId, input.userId, { ...ifUnchanged(change, client), protectNewOwner: true }),
  },
  reportCompromised: {
    act: 'report',
    isConfidential: true,
    route: ['post /report-compromised', 'report*Compromised', 'reportCompromisedClient'],
    summary: 'Revoke all secrets, public keys and access tokens, because a secret or private key leaked',
    operatorSummary:
      'Revoke all secrets, public keys and access tokens of a client, because a secret or private key leaked',
    description: 'The client gets no tokens until its secret is rotated, or a key is added.',
    answer: null,
    texts: ({ jwks }) => {
      const of = jwks ? 'keys' : 'clients'
      const done = jwks ? 'doneKeysReported' : 'doneClientReported'
      return [`${of}Leaked`, `${of}LeakedHint`, 'clientsLeakedLink', done] as const
    },
    operatorTexts: [
      'clientsLeaked',
      'operatorCompromisedText',
      'operatorCompromised',
      'doneOperatorCompromised',
    ],
    page({ jwks, kind }) {
      const of = jwks ? 'keys' : 'clients'
      const users = kind === 'application' ? USERS_STAY : []
      const points = [`${of}ReportSecrets`, 'clientsReportTokens', `${of}ReportNext`, ...users] as const
      return { title: `${of}ReportTitle`, points, button: `${of}ReportButton` } as const
    },
    isRowShown: (client) => !isPublicClient(client),
    run: ({ service, clientId, change }) => service.reportCompromised(clientId, change),
  },
  listSecrets: {
    act: 'read',
    route: ['get /secrets', 'list*Secrets'],
    summary: 'List the valid secrets, newest first, without the secrets themselves',
    answer: 'SecretList',
    run: async ({ service, clientId }) => ({ items: await service.listSecrets(clientId) }),
  },
  rotateSecret: {
    act: 'rotate',
    confirms: ROTATES,
    isConfidential: true,
    route: ['post /secrets', 'rotate*Secret'],
    summary: 'Create a new secret; the old secret stays valid for a while',
    description:
      'Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.',
    body: 'Rotation',
    answer: 'RotatedSecret',
    errors: ['ERR_TWO_SECRETS', 'ERR_SECRETS_CHANGED', 'ERR_CHANGED'],
    location: 'secrets',
    texts: ['clientsRotateTitle', 'clientsRotateWhat', 'clientsRotate'],
    run: ({ service, client, clientId, caller, change, input: { overlapSeconds, idempotencyKey } }) =>
      service.rotateSecret(clientId, {
        overlapSeconds,
        idempotencyKey,
        shownTo: caller.userId,
        ...ifUnchanged(change, client),
      }),
  },
  revokeOldSecret: {
    act: 'remove',
    route: ['delete /secrets/old', 'revokeOld*Secret'],
    summary: 'Revoke the old one of two valid secrets',
    answer: null,
    run: ({ service, clientId, change }) => service.revokeSecret(clientId, 'old', change),
  },
  revokeNewSecret: {
    // If a rotation is undone, the old secret never expires again.
    act: 'rotate',
    route: ['delete /secrets/new', 'revokeNew*Secret'],
    summary: 'Undo a rotation: revoke the new one of two valid secrets',
    answer: null,
    errors: ['ERR_ONE_SECRET'],
    run: ({ service, clientId, change }) => service.revokeSecret(clientId, 'new', change),
  },
  listKeys: {
    act: 'read',
    route: ['get /keys', 'list*Keys'],
    summary: 'List the public keys with which the client may authenticate, newest first',
    answer: 'KeyList',
    run: async ({ service, clientId }) => ({ items: await service.listKeys(clientId) }),
  },
  addKey: {
    act: 'rotate',
    confirms: ROTATES,
    isConfidential: true,
    route: ['post /keys', 'add*Key'],
    summary: 'Add a public key; secrets and other keys stay valid',
    description:
      'Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.',
    body: 'NewKey',
    errors: INVALID,
    texts: ['keysAdd', 'keysAddWhat', 'keysAdd', 'doneKeyAdded'],
    run: ({ service, client, clientId, change, input }) =>
      service.addKey(clientId, input.key, ifUnchanged(change, client)),
  },
  removeKey: {
    act: 'remove',
    route: ['delete /keys/{kid}', 'remove*Key'],
    summary: 'Remove a public key; tokens that were obtained with it stay valid',
    description: 'A repeat changes nothing. If the private key leaked, report the private key instead.',
    errors: ['ERR_ONE_SECRET'],
    texts: ['keysRemoveTitle', 'clientsRevokeOldWhat', 'keysRemoveButton', 'doneKeyRemoved'],
    more: ['keysRemoveTokens'],
    run: ({ service, clientId, change, input }) => service.removeKey(clientId, input.kid, change),
  },
  setLimits: {
    part: 'limits',
    route: ['put /limits', undefined, 'setLimits'],
    operatorSummary: 'Give a client limits of its own, instead of the limits of all clients',
    description: 'A limit that is left out does not apply to the client. At least one limit is needed.',
    body: 'NewLimits',
    answer: 'Client',
    errors: INVALID,
    run: ({ service, clientId, change, input }) => service.setLimits(clientId, input.limits, change),
  },
  removeLimits: {
    part: 'limits',
    route: ['delete /limits', undefined, 'removeLimits'],
    operatorSummary: 'Remove the limits that a client has of its own',
    answer: 'Client',
    run: ({ service, clientId, change }) => service.setLimits(clientId, null, change),
  },
} as const satisfies Readonly<Record<string, ClientAction>>

export type ActionName = keyof typeof CLIENT_ACTIONS

/** The rows on the page of a client. */
export const LISTED_ACTIONS = {
  owner: ['disable', 'enable', 'reportCompromised', 'delete'],
  operator: ['enable', 'disable', 'revokeTokens', 'reportCompromised'],
} as const satisfies Readonly<Record<string, readonly ActionName[]>>
