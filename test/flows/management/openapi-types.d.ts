export interface paths {
  '/session': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Who calls, and the CSRF token for requests with a session cookie
     * @description For every signed-in caller.
     */
    get: operations['getSession']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the API keys of the account, in order of creation
     * @description With `name`, a page has only the clients with exactly this name among the next 500 clients. So it may be empty although there is a next page.
     *
     *     Permission: `keys:read`
     */
    get: operations['listApiKeys']
    put?: never
    /**
     * Create an API key
     * @description Only this answer has the secret.
     *
     *     Permission: `keys:create`
     */
    post: operations['createApiKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read an API key
     * @description Permission: `keys:read`
     */
    get: operations['getApiKey']
    put?: never
    post?: never
    /**
     * Delete an API key for good, and revoke its tokens
     * @description A repeat gets 404, like any unknown id.
     *
     *     Permission: `keys:delete`
     */
    delete: operations['deleteApiKey']
    options?: never
    head?: never
    /**
     * Change the fields of an API key
     * @description A field that is left out stays as it is.
     *
     *     Permission: `keys:write`
     */
    patch: operations['updateApiKey']
    trace?: never
  }
  '/api-keys/{clientId}/access': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * What an API key may call, and what it lacks for the other operations
     * @description Permission: `keys:read`
     */
    get: operations['previewApiKeyAccess']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/products/{product}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /**
     * Add a product with all its operations
     * @description Permission: `keys:write`
     */
    put: operations['addApiKeyProduct']
    post?: never
    /**
     * Remove a product, and revoke the tokens issued so far
     * @description Permission: `keys:write`
     */
    delete: operations['removeApiKeyProduct']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/operations/{scope}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /**
     * Restore an operation that was removed
     * @description Permission: `keys:write`
     */
    put: operations['restoreApiKeyOperation']
    post?: never
    /**
     * Remove one operation, and revoke the tokens issued so far
     * @description Permission: `keys:write`
     */
    delete: operations['removeApiKeyOperation']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/disable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Disable an API key, and revoke its tokens
     * @description Permission: `keys:write`
     */
    post: operations['disableApiKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/enable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Enable an API key that was disabled
     * @description Permission: `keys:write`
     */
    post: operations['enableApiKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/report-compromised': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all secrets and all access tokens, because a secret leaked
     * @description The client gets no tokens until its secret is rotated.
     *
     *     Permission: `keys:write`
     */
    post: operations['reportApiKeyCompromised']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/secrets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the valid secrets, newest first, without the secrets themselves
     * @description Permission: `keys:read`
     */
    get: operations['listApiKeySecrets']
    put?: never
    /**
     * Create a new secret; the old secret stays valid for a while
     * @description Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.
     *
     *     Permission: `keys:rotate`
     */
    post: operations['rotateApiKeySecret']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/secrets/old': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Revoke the old one of two valid secrets
     * @description Permission: `keys:rotate`
     */
    delete: operations['revokeOldApiKeySecret']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys/{clientId}/secrets/new': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Undo a rotation: revoke the new one of two valid secrets
     * @description Permission: `keys:rotate`
     */
    delete: operations['revokeNewApiKeySecret']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the applications of the account, in order of creation
     * @description With `name`, a page has only the clients with exactly this name among the next 500 clients. So it may be empty although there is a next page.
     *
     *     Permission: `applications:read`
     */
    get: operations['listApplications']
    put?: never
    /**
     * Create an application
     * @description Only this answer has the secret.
     *
     *     Permission: `applications:create`
     */
    post: operations['createApplication']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read an application
     * @description Permission: `applications:read`
     */
    get: operations['getApplication']
    put?: never
    post?: never
    /**
     * Delete an application for good, and revoke its tokens
     * @description A repeat gets 404, like any unknown id.
     *
     *     Permission: `applications:delete`
     */
    delete: operations['deleteApplication']
    options?: never
    head?: never
    /**
     * Change the fields of an application
     * @description A field that is left out stays as it is.
     *
     *     Permission: `applications:write`
     */
    patch: operations['updateApplication']
    trace?: never
  }
  '/applications/{clientId}/access': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * What an application may call, and what it lacks for the other operations
     * @description Permission: `applications:read`
     */
    get: operations['previewApplicationAccess']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/products/{product}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /**
     * Add a product with all its operations
     * @description Permission: `applications:write`
     */
    put: operations['addApplicationProduct']
    post?: never
    /**
     * Remove a product, and revoke the tokens issued so far
     * @description Permission: `applications:write`
     */
    delete: operations['removeApplicationProduct']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/operations/{scope}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /**
     * Restore an operation that was removed
     * @description Permission: `applications:write`
     */
    put: operations['restoreApplicationOperation']
    post?: never
    /**
     * Remove one operation, and revoke the tokens issued so far
     * @description Permission: `applications:write`
     */
    delete: operations['removeApplicationOperation']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/disable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Disable an application, and revoke its tokens
     * @description Permission: `applications:write`
     */
    post: operations['disableApplication']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/enable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Enable an application that was disabled
     * @description Permission: `applications:write`
     */
    post: operations['enableApplication']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/report-compromised': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all secrets and all access tokens, because a secret leaked
     * @description The client gets no tokens until its secret is rotated.
     *
     *     Permission: `applications:write`
     */
    post: operations['reportApplicationCompromised']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/secrets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the valid secrets, newest first, without the secrets themselves
     * @description Permission: `applications:read`
     */
    get: operations['listApplicationSecrets']
    put?: never
    /**
     * Create a new secret; the old secret stays valid for a while
     * @description Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.
     *
     *     Permission: `applications:rotate`
     */
    post: operations['rotateApplicationSecret']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/secrets/old': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Revoke the old one of two valid secrets
     * @description Permission: `applications:rotate`
     */
    delete: operations['revokeOldApplicationSecret']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/applications/{clientId}/secrets/new': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Undo a rotation: revoke the new one of two valid secrets
     * @description Permission: `applications:rotate`
     */
    delete: operations['revokeNewApplicationSecret']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/catalog': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The products with their operations and routes
     * @description `available` says whether the KYC level of the account is high enough for applications to request the operation. API keys need no level. The titles are in the language of `Accept-Language`.
     *
     *     For every signed-in caller.
     */
    get: operations['getCatalog']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/authorizations': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List what the caller has authorized applications to do, oldest first
     * @description For a user of an account, only what this user has authorized.
     *
     *     Permission: `authorizations:read`
     */
    get: operations['listAuthorizations']
    put?: never
    post?: never
    /**
     * Disconnect an application: revoke all authorizations that the caller gave to it
     * @description A repeat revokes 0 grants. For a user of an account, only what this user has authorized.
     *
     *     Permission: `authorizations:revoke`
     */
    delete: operations['revokeAuthorizationsOfApplication']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/authorizations/{grantId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Revoke an authorization with all its tokens
     * @description A repeat gets 404, like any unknown id.
     *
     *     Permission: `authorizations:revoke`
     */
    delete: operations['revokeAuthorization']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * What happened to the clients and authorizations of the account, newest first
     * @description `trail=failures` lists wrong secrets of the clients. Names of operators and of users of other accounts are left out; `by` says that it was one.
     *
     *     Permission: `audit:read`
     */
    get: operations['listAudit']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/audit': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * What happened at all, newest first
     * @description At most one of `accountId`, `clientId` and `actor` limits the list.
     *
     *     Only for operators.
     */
    get: operations['listWholeAudit']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/clients/{clientId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Read an API key or application of any account
     * @description Only for operators.
     */
    get: operations['getClient']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/clients/{clientId}/revoke': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all access tokens of a client; its secret stays valid
     * @description Only for operators.
     */
    post: operations['revokeClient']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/clients/{clientId}/disable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Disable a client of any account, and revoke its tokens
     * @description Only for operators.
     */
    post: operations['disableClient']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/clients/{clientId}/enable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Enable a client that was disabled
     * @description Only for operators.
     */
    post: operations['enableClient']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/clients/{clientId}/report-compromised': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all secrets and all access tokens of a client, because a secret leaked
     * @description Only for operators.
     */
    post: operations['reportCompromisedClient']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Find an account by its exact id
     * @description Only for operators.
     */
    get: operations['getAccount']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}/api-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the API keys of an account
     * @description Only for operators.
     */
    get: operations['listApiKeysOfAccount']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}/applications': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the applications of an account
     * @description Only for operators.
     */
    get: operations['listApplicationsOfAccount']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}/authorizations': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the authorizations of an account
     * @description Only for operators.
     */
    get: operations['listAuthorizationsOfAccount']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}/revoke': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all tokens of an account, and everything that it has authorized
     * @description Only for operators.
     */
    post: operations['revokeAccount']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/accounts/{accountId}/users/{userId}/revoke': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke all tokens of the clients of a user, and everything that the user has authorized
     * @description Only for operators.
     */
    post: operations['revokeUser']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/signing-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List the signing keys, without their private parts
     * @description Only for operators.
     */
    get: operations['listSigningKeys']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/signing-keys/rotate': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Activate the next signing keys
     * @description Only for operators.
     */
    post: operations['rotateSigningKeys']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/signing-keys/{kid}/revoke': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Revoke a leaked signing key, and all tokens that it has signed
     * @description Only for operators.
     */
    post: operations['revokeSigningKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/operator/health': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * The health of the service
     * @description Only for operators.
     */
    get: operations['getHealth']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * This document
     * @description Needs no sign-in.
     */
    get: operations['getOpenApi']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    ApiKey: {
      /** @constant */
      kind: 'apiKey'
      clientId: string
      accountId: string
      userId?: string
      name: string
      products: string[]
      removedOperations: string[]
      disabled: boolean
      createdAt: number
      lastUsedAt?: number
      resourceServer: boolean
    }
    ApiKeyPage: {
      items: components['schemas']['ApiKey'][]
      cursor?: string
    }
    CreatedApiKey: {
      apiKey: components['schemas']['ApiKey']
      clientSecret: string
    }
    NewApiKey: {
      name: string
      products?: string[]
      removedOperations?: string[]
    }
    ApiKeyChanges: {
      name?: string
    }
    Application: {
      /** @constant */
      kind: 'application'
      clientId: string
      accountId: string
      userId?: string
      name: string
      products: string[]
      removedOperations: string[]
      disabled: boolean
      createdAt: number
      lastUsedAt?: number
      redirectUris: string[]
      postLogoutRedirectUris: string[]
      homepageUri?: string
      logoUri?: string
      privacyUri?: string
      termsUri?: string
      firstParty: boolean
    }
    ApplicationPage: {
      items: components['schemas']['Application'][]
      cursor?: string
    }
    CreatedApplication: {
      application: components['schemas']['Application']
      clientSecret: string
    }
    NewApplication: {
      name: string
      products?: string[]
      removedOperations?: string[]
      redirectUris?: string[]
      postLogoutRedirectUris?: string[]
      homepageUri?: string
      logoUri?: string
      privacyUri?: string
      termsUri?: string
    }
    ApplicationChanges: {
      name?: string
      redirectUris?: string[]
      postLogoutRedirectUris?: string[]
      homepageUri?: string | null
      logoUri?: string | null
      privacyUri?: string | null
      termsUri?: string | null
    }
    Rotation: {
      overlapSeconds?: number
    }
    RotatedSecret: {
      clientSecret: string
      oldSecretExpiresAt?: number
    }
    Catalog: {
      kycLevel?: string
      kycLevels: string[]
      products: {
        id: string
        title: string
        description?: string
        operations: {
          scope: string
          title: string
          description?: string
          routes: {
            method: string
            path: string
          }[]
          kycLevel?: string
          sensitive: boolean
          available: boolean
        }[]
      }[]
    }
    AccessPreview: {
      kycLevel?: string
      products: {
        id: string
        title: string
        description?: string
        added: boolean
        operations: {
          scope: string
          title: string
          description?: string
          routes: {
            method: string
            path: string
          }[]
          kycLevel?: string
          sensitive: boolean
          callable: boolean
          missing: ('product' | 'operation' | 'kycLevel' | 'user' | 'enabled')[]
        }[]
      }[]
    }
    Authorization: {
      grantId: string
      clientId: string
      accountId: string
      userId?: string
      scopes: string[]
      authorizedAt: number
      lastUsedAt?: number
      expiresAt: number
      /** @description What users may know about the application; absent if it was deleted */
      application?: {
        name: string
        homepageUri?: string
        logoUri?: string
        privacyUri?: string
        termsUri?: string
      }
    }
    AuthorizationPage: {
      items: components['schemas']['Authorization'][]
      cursor?: string
    }
    RevokedAuthorizations: {
      grants: number
    }
    Client: components['schemas']['ApiKey'] | components['schemas']['Application']
    Account: {
      accountId: string
      kycLevel?: string
    }
    RevokedAccess: {
      clients: number
      grants: number
    }
    SigningKeyList: {
      items: {
        kid: string
        alg: string
        /** @enum {string} */
        state: 'next' | 'current' | 'previous' | 'retired' | 'revoked'
        createdAt?: number
        since?: number
        until?: number
      }[]
    }
    Health: {
      ready: boolean
      /** @enum {string} */
      status: 'pass' | 'warn' | 'fail'
      checks: {
        name: string
        /** @enum {string} */
        status: 'pass' | 'warn' | 'fail' | 'unknown'
        message: string
        remedy?: string
      }[]
      revocations: {
        enabled: boolean
        stale: boolean
        ageSeconds?: number
        count: number
      }
    }
    AuditEntry: {
      id: string
      /** @description Milliseconds since the epoch */
      at: number
      name: string
      /** @enum {string} */
      outcome: 'success' | 'failure'
      actor?: string
      /**
       * @description Who did it, in `GET /audit`, if the account may not see the `actor`
       * @enum {string}
       */
      by?: 'user' | 'service'
      accountId?: string
      userId?: string
      clientId?: string
      /** @enum {string} */
      kind?: 'apiKey' | 'application'
      grantId?: string
      tokenId?: string
      keyId?: string
      change?: string
      target?: string
      scopes?: string[]
      denied?: string[]
      added?: string[]
      removed?: string[]
      reason?: string
      address?: string
      userAgent?: string
      /** @description How many equal acts or failures it stands for */
      count?: number
      /** @description When the last of the equal acts happened */
      until?: number
    }
    AuditPage: {
      items: components['schemas']['AuditEntry'][]
      cursor?: string
    }
    SecretList: {
      items: {
        createdAt: number
        expiresAt?: number
      }[]
    }
    Session: {
      accountId: string
      userId?: string
      operator: boolean
      csrfToken: string
    }
    Problem: {
      type: string
      title: string
      status: number
      code: string
      detail: string
      errors?: {
        path: string
        message: string
      }[]
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  getSession: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Session']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApiKeys: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
        name?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKeyPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  createApiKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description A repeat with the same key within 24 hours gets the same answer */
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NewApiKey']
      }
    }
    responses: {
      /** @description OK */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getApiKey: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  deleteApiKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  updateApiKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ApiKeyChanges']
      }
    }
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  previewApiKeyAccess: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AccessPreview']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  addApiKeyProduct: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        product: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  removeApiKeyProduct: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        product: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  restoreApiKeyOperation: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        scope: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  removeApiKeyOperation: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        scope: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  disableApiKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  enableApiKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  reportApiKeyCompromised: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApiKeySecrets: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SecretList']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  rotateApiKeySecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description A repeat with the same key within 24 hours gets the same answer */
        'Idempotency-Key'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Rotation']
      }
    }
    responses: {
      /** @description OK */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RotatedSecret']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeOldApiKeySecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeNewApiKeySecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApplications: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
        name?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApplicationPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  createApplication: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description A repeat with the same key within 24 hours gets the same answer */
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NewApplication']
      }
    }
    responses: {
      /** @description OK */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedApplication']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getApplication: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  deleteApplication: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  updateApplication: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ApplicationChanges']
      }
    }
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  previewApplicationAccess: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AccessPreview']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  addApplicationProduct: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        product: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  removeApplicationProduct: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        product: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  restoreApplicationOperation: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        scope: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  removeApplicationOperation: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
        scope: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  disableApplication: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  enableApplication: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description Make the change only if the ETag is still this one */
        'If-Match'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Application']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  reportApplicationCompromised: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApplicationSecrets: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SecretList']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  rotateApplicationSecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
        /** @description A repeat with the same key within 24 hours gets the same answer */
        'Idempotency-Key'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Rotation']
      }
    }
    responses: {
      /** @description OK */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RotatedSecret']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeOldApplicationSecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeNewApplicationSecret: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getCatalog: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Catalog']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listAuthorizations: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuthorizationPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeAuthorizationsOfApplication: {
    parameters: {
      query: {
        clientId: string
      }
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RevokedAuthorizations']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeAuthorization: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        grantId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listAudit: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
        trail?: 'changes' | 'failures'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuditPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listWholeAudit: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
        trail?: 'changes' | 'failures'
        accountId?: string
        clientId?: string
        actor?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuditPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getClient: {
    parameters: {
      query?: never
      header?: never
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          /** @description For If-Match */
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Client']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeClient: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RevokedAccess']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  disableClient: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  enableClient: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  reportCompromisedClient: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        clientId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getAccount: {
    parameters: {
      query?: never
      header?: never
      path: {
        accountId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Account']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApiKeysOfAccount: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
      }
      header?: never
      path: {
        accountId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKeyPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listApplicationsOfAccount: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
      }
      header?: never
      path: {
        accountId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApplicationPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listAuthorizationsOfAccount: {
    parameters: {
      query?: {
        cursor?: string
        limit?: number
      }
      header?: never
      path: {
        accountId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuthorizationPage']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeAccount: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        accountId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RevokedAccess']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeUser: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        accountId: string
        userId: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RevokedAccess']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listSigningKeys: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SigningKeyList']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  rotateSigningKeys: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  revokeSigningKey: {
    parameters: {
      query?: never
      header?: {
        /** @description The csrfToken of GET /session; needed with a session cookie */
        'X-CSRF-Token'?: string
      }
      path: {
        kid: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Done */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getHealth: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Health']
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getOpenApi: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description OK */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': Record<string, never>
        }
      }
      /** @description Problem details (RFC 9457) */
      default: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
}
