import { ifUnchanged } from '../../clients/client-etag.ts'
import { isPublicClient } from '../../clients/public-applications.ts'
import type { ClientAction } from './client-action-types.ts'

const INVALID = ['ERR_INVALID_ARGUMENT'] as const
const ROTATES = { apiKey: 'keys:rotate', application: 'applications:rotate' } as const

const USERS_STAY = ['clientsReportUsers'] as const

/** The part of `CLIENT_ACTIONS` about the secrets and public keys of a client. */
export const CREDENTIAL_ACTIONS = {
  reportCompromised: {
    path: 'post /report-compromised',
    needsCredentials: true,
    owner: {
      act: 'report',
      operationId: 'report*Compromised',
      summary: 'Revoke all secrets, public keys and access tokens, because a secret or private key leaked',
      description: 'The client gets no tokens until its secret is rotated, or a key is added.',
      answer: 'none',
      texts({ jwks }) {
        const of = jwks ? 'keys' : 'clients'
        const done = jwks ? 'doneKeysReported' : 'doneClientReported'
        return { title: `${of}Leaked`, what: `${of}LeakedHint`, button: 'clientsLeakedLink', done } as const
      },
      asks({ jwks, kind }) {
        const of = jwks ? 'keys' : 'clients'
        const users = kind === 'application' ? USERS_STAY : []
        const points = [`${of}ReportSecrets`, 'clientsReportTokens', `${of}ReportNext`, ...users] as const
        return { title: `${of}ReportTitle`, points, button: `${of}ReportButton`, isDanger: true } as const
      },
    },
    operator: {
      operationId: 'reportCompromisedClient',
      summary:
        'Revoke all secrets, public keys and access tokens of a client, because a secret or private key leaked',
      answer: 'none',
      texts: {
        title: 'clientsLeaked',
        what: 'operatorCompromisedText',
        button: 'operatorCompromised',
        done: 'doneOperatorCompromised',
      },
    },
    isRowShown: (client) => !isPublicClient(client),
    run: ({ service, clientId, change }) => service.reportCompromised(clientId, change),
  },
  listSecrets: {
    path: 'get /secrets',
    owner: {
      act: 'read',
      operationId: 'list*Secrets',
      summary: 'List the valid secrets, newest first, without the secrets themselves',
      answer: 'SecretList',
    },
    run: async ({ service, clientId }) => ({ items: await service.listSecrets(clientId) }),
  },
  rotateSecret: {
    path: 'post /secrets',
    needsCredentials: true,
    owner: {
      act: 'rotate',
      freshSignIn: ROTATES,
      operationId: 'rotate*Secret',
      summary: 'Create a new secret; the old secret stays valid for a while',
      body: 'Rotation',
      description:
        'Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.',
      answer: 'RotatedSecret',
      errors: ['ERR_TWO_SECRETS', 'ERR_SECRETS_CHANGED', 'ERR_CHANGED'],
      location: 'secrets',
      texts: { title: 'clientsRotateTitle', what: 'clientsRotateWhat', button: 'clientsRotate' },
      asks: 'form',
    },
    run: ({ service, client, clientId, caller, change, input: { overlapSeconds, idempotencyKey } }) =>
      service.rotateSecret(clientId, {
        overlapSeconds,
        idempotencyKey,
        shownTo: caller.userId,
        ...ifUnchanged(change, client),
      }),
  },
  revokeOldSecret: {
    path: 'delete /secrets/old',
    owner: {
      act: 'remove',
      operationId: 'revokeOld*Secret',
      summary: 'Revoke the old one of two valid secrets',
      answer: 'none',
      texts: {
        title: 'clientsRevokeOld',
        what: 'clientsRevokeOldWhat',
        button: 'clientsRevokeOld',
        done: 'doneOldSecretRevoked',
      },
      asks: 'form',
    },
    run: ({ service, clientId, change }) => service.revokeSecret(clientId, 'old', change),
  },
  revokeNewSecret: {
    path: 'delete /secrets/new',
    owner: {
      // If a rotation is undone, the old secret never expires again.
      act: 'rotate',
      operationId: 'revokeNew*Secret',
      summary: 'Undo a rotation: revoke the new one of two valid secrets',
      answer: 'none',
      errors: ['ERR_ONE_SECRET'],
      texts: {
        title: 'clientsRevokeNew',
        what: 'clientsRevokeNewWhat',
        button: 'clientsRevokeNew',
        done: 'doneRotationUndone',
      },
      asks: 'form',
    },
    run: ({ service, clientId, change }) => service.revokeSecret(clientId, 'new', change),
  },
  listKeys: {
    path: 'get /keys',
    owner: {
      act: 'read',
      operationId: 'list*Keys',
      summary: 'List the public keys with which the client may authenticate, newest first',
      answer: 'KeyList',
    },
    run: async ({ service, clientId }) => ({ items: await service.listKeys(clientId) }),
  },
  addKey: {
    path: 'post /keys',
    needsCredentials: true,
    owner: {
      act: 'rotate',
      freshSignIn: ROTATES,
      operationId: 'add*Key',
      summary: 'Add a public key; secrets and other keys stay valid',
      body: 'NewKey',
      description:
        'Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.',
      errors: INVALID,
      texts: { title: 'keysAdd', what: 'keysAddWhat', button: 'keysAdd', done: 'doneKeyAdded' },
      asks: 'form',
    },
    run: ({ service, client, clientId, change, input }) =>
      service.addKey(clientId, input.key, ifUnchanged(change, client)),
  },
  removeKey: {
    path: 'delete /keys/{kid}',
    owner: {
      act: 'remove',
      operationId: 'remove*Key',
      summary: 'Remove a public key; tokens that were obtained with it stay valid',
      description: 'A repeat changes nothing. If the private key leaked, report the private key instead.',
      errors: ['ERR_ONE_SECRET'],
      texts: {
        title: 'keysRemoveTitle',
        what: 'clientsRevokeOldWhat',
        more: ['keysRemoveTokens'],
        button: 'keysRemoveButton',
        done: 'doneKeyRemoved',
      },
    },
    run: ({ service, clientId, change, input }) => service.removeKey(clientId, input.kid, change),
  },
} as const satisfies Readonly<Record<string, ClientAction>>
