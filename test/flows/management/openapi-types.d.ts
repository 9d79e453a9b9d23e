export interface paths {
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who calls, and the CSRF token for requests with a session cookie
         * @description For every signed-in caller.
         */
        get: operations["getSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the account
         * @description Permission: `keys:read`
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Only this answer has the secret. With `jwks`, the key has no secret.
         *
         *     Permission: `keys:create`
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key
         * @description Permission: `keys:read`
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Delete an API key for good, and revoke its tokens
         * @description A repeat gets 404, like any unknown id.
         *
         *     Permission: `keys:delete`
         */
        delete: operations["deleteApiKey"];
        options?: never;
        head?: never;
        /**
         * Change the fields of an API key
         * @description A field that is left out stays as it is.
         *
         *     Permission: `keys:write`
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/api-keys/{clientId}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an API key may call, and what it lacks for the other operations
         * @description Permission: `keys:read`
         */
        get: operations["previewApiKeyAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/products/{product}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a product with all its operations
         * @description Permission: `keys:write`
         */
        put: operations["addApiKeyProduct"];
        post?: never;
        /**
         * Remove a product, and revoke the tokens issued so far
         * @description Permission: `keys:write`
         */
        delete: operations["removeApiKeyProduct"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/operations/{scope}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Restore an operation that was removed
         * @description Permission: `keys:write`
         */
        put: operations["restoreApiKeyOperation"];
        post?: never;
        /**
         * Remove one operation, and revoke the tokens issued so far
         * @description Permission: `keys:write`
         */
        delete: operations["removeApiKeyOperation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an API key, and revoke its tokens
         * @description Permission: `keys:write`
         */
        post: operations["disableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable an API key that was disabled
         * @description Permission: `keys:write`
         */
        post: operations["enableApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give an API key to a user of the account, or to the account itself
         * @description The tokens issued so far are revoked, because they act as the present owner. If a user gets the key, all its public keys are removed and all its secrets are revoked. The secrets stay valid if each of them was shown to this user only. If the account gets the key, secrets and public keys stay valid, and the caller must be allowed to use all operations of the key.
         *
         *     Permission: `keys:write`
         */
        put: operations["handOverApiKey"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/report-compromised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all secrets, public keys and access tokens, because a secret or private key leaked
         * @description The client gets no tokens until its secret is rotated, or a key is added.
         *
         *     Permission: `keys:write`
         */
        post: operations["reportApiKeyCompromised"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the valid secrets, newest first, without the secrets themselves
         * @description Permission: `keys:read`
         */
        get: operations["listApiKeySecrets"];
        put?: never;
        /**
         * Create a new secret; the old secret stays valid for a while
         * @description Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.
         *
         *     Permission: `keys:rotate`
         */
        post: operations["rotateApiKeySecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/secrets/old": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke the old one of two valid secrets
         * @description Permission: `keys:rotate`
         */
        delete: operations["revokeOldApiKeySecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/secrets/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Undo a rotation: revoke the new one of two valid secrets
         * @description Permission: `keys:rotate`
         */
        delete: operations["revokeNewApiKeySecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public keys with which the client may authenticate, newest first
         * @description Permission: `keys:read`
         */
        get: operations["listApiKeyKeys"];
        put?: never;
        /**
         * Add a public key; secrets and other keys stay valid
         * @description Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.
         *
         *     Permission: `keys:rotate`
         */
        post: operations["addApiKeyKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api-keys/{clientId}/keys/{kid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a public key; tokens that were obtained with it stay valid
         * @description A repeat changes nothing. If the private key leaked, report the private key instead.
         *
         *     Permission: `keys:rotate`
         */
        delete: operations["removeApiKeyKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the applications of the account
         * @description Permission: `applications:read`
         */
        get: operations["listApplications"];
        put?: never;
        /**
         * Create an application
         * @description Only this answer has the secret. With `isPublic` or `jwks`, the application has no secret.
         *
         *     Permission: `applications:create`
         */
        post: operations["createApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an application
         * @description Permission: `applications:read`
         */
        get: operations["getApplication"];
        put?: never;
        post?: never;
        /**
         * Delete an application for good, and revoke its tokens
         * @description A repeat gets 404, like any unknown id.
         *
         *     Permission: `applications:delete`
         */
        delete: operations["deleteApplication"];
        options?: never;
        head?: never;
        /**
         * Change the fields of an application
         * @description A field that is left out stays as it is.
         *
         *     Permission: `applications:write`
         */
        patch: operations["updateApplication"];
        trace?: never;
    };
    "/applications/{clientId}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an application may call, and what it lacks for the other operations
         * @description Permission: `applications:read`
         */
        get: operations["previewApplicationAccess"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/products/{product}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a product with all its operations
         * @description Permission: `applications:write`
         */
        put: operations["addApplicationProduct"];
        post?: never;
        /**
         * Remove a product, and revoke the tokens issued so far
         * @description Permission: `applications:write`
         */
        delete: operations["removeApplicationProduct"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/operations/{scope}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Restore an operation that was removed
         * @description Permission: `applications:write`
         */
        put: operations["restoreApplicationOperation"];
        post?: never;
        /**
         * Remove one operation, and revoke the tokens issued so far
         * @description Permission: `applications:write`
         */
        delete: operations["removeApplicationOperation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable an application, and revoke its tokens
         * @description Permission: `applications:write`
         */
        post: operations["disableApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable an application that was disabled
         * @description Permission: `applications:write`
         */
        post: operations["enableApplication"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/owner": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give an application to a user of the account, or to the account itself
         * @description The secrets stay valid.
         *
         *     Permission: `applications:write`
         */
        put: operations["handOverApplication"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/report-compromised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all secrets, public keys and access tokens, because a secret or private key leaked
         * @description The client gets no tokens until its secret is rotated, or a key is added.
         *
         *     Permission: `applications:write`
         */
        post: operations["reportApplicationCompromised"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the valid secrets, newest first, without the secrets themselves
         * @description Permission: `applications:read`
         */
        get: operations["listApplicationSecrets"];
        put?: never;
        /**
         * Create a new secret; the old secret stays valid for a while
         * @description Only this answer has the secret. `overlapSeconds` says how long the old secret stays valid (default 86400, 1 day); with 0, all older secrets are revoked at once.
         *
         *     Permission: `applications:rotate`
         */
        post: operations["rotateApplicationSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/secrets/old": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke the old one of two valid secrets
         * @description Permission: `applications:rotate`
         */
        delete: operations["revokeOldApplicationSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/secrets/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Undo a rotation: revoke the new one of two valid secrets
         * @description Permission: `applications:rotate`
         */
        delete: operations["revokeNewApplicationSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public keys with which the client may authenticate, newest first
         * @description Permission: `applications:read`
         */
        get: operations["listApplicationKeys"];
        put?: never;
        /**
         * Add a public key; secrets and other keys stay valid
         * @description Without `kid`, the id of the key is its thumbprint (RFC 7638). A key that the client already has changes nothing.
         *
         *     Permission: `applications:rotate`
         */
        post: operations["addApplicationKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/applications/{clientId}/keys/{kid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a public key; tokens that were obtained with it stay valid
         * @description A repeat changes nothing. If the private key leaked, report the private key instead.
         *
         *     Permission: `applications:rotate`
         */
        delete: operations["removeApplicationKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/secrets/report-leaked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the client of the account to which a leaked secret belongs, and revoke the secret
         * @description The secret, or the private key (a JWK as text, or PEM), and all access tokens of its client are revoked. If it is not valid any more, only the access tokens are revoked. A repeated report changes nothing. The answer and the audit trail never have the secret.
         *
         *     For every signed-in caller.
         */
        post: operations["reportLeakedSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/secrets/report-leaked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the client to which a leaked secret belongs, and revoke the secret
         * @description The secret, or the private key (a JWK as text, or PEM), and all access tokens of its client are revoked. If it is not valid any more, only the access tokens are revoked. A repeated report changes nothing. The answer and the audit trail never have the secret.
         *
         *     Only for operators.
         */
        post: operations["reportLeakedSecretOfAnyAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hygiene": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys and applications of the account that need attention
         * @description A request examines at most 1000 clients. A page may have fewer items than `limit`, or none, although it has a `cursor`. The caller sees the kinds of clients that it may read.
         *
         *     For every signed-in caller.
         */
        get: operations["listFindings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/hygiene": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys and applications of all accounts that need attention
         * @description A request examines at most 1000 clients. A page may have fewer items than `limit`, or none, although it has a `cursor`.
         *
         *     Only for operators.
         */
        get: operations["listFindingsOfAllAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/hygiene/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the products that no API key and no application has
         * @description The request reads clients until it has found every product, so it may take seconds.
         *
         *     Only for operators.
         */
        get: operations["listUnusedProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API calls of the API keys and applications of the account
         * @description `by` names what the rows are separated by, with commas: `hour` or `day`, `client`, `operation`, `result`, `outcome`. Without it: `day,outcome`. Times are in UTC. Without `clientId`, the caller needs the permissions to read API keys and applications.
         *
         *     For every signed-in caller.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API calls of all clients, of one client or of one account
         * @description `by` names what the rows are separated by, with commas: `hour` or `day`, `client`, `operation`, `result`, `outcome`. Without it: `day,outcome`. Times are in UTC.
         *
         *     Only for operators.
         */
        get: operations["listUsageOfAllAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/usage/top-clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the clients with the most API calls
         * @description Only for operators.
         */
        get: operations["listTopClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/usage/uncalled-operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the operations that were not called for some days
         * @description The answer has no `items` if usage has been counted for fewer days.
         *
         *     Only for operators.
         */
        get: operations["listUncalledOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Give a client limits of its own, instead of the limits of all clients
         * @description A limit that is left out does not apply to the client. At least one limit is needed.
         *
         *     Only for operators.
         */
        put: operations["setLimits"];
        post?: never;
        /**
         * Remove the limits that a client has of its own
         * @description Only for operators.
         */
        delete: operations["removeLimits"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The products with their operations and routes
         * @description `available` says whether the KYC level of the account is high enough for applications to request the operation. API keys need no level. The titles are in the language of `Accept-Language`.
         *
         *     For every signed-in caller.
         */
        get: operations["getCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what the caller has authorized applications to do, oldest first
         * @description For a user of an account, only what this user has authorized.
         *
         *     Permission: `authorizations:read`
         */
        get: operations["listAuthorizations"];
        put?: never;
        post?: never;
        /**
         * Disconnect an application: revoke all authorizations that the caller gave to it
         * @description A repeat revokes 0 grants. For a user of an account, only what this user has authorized.
         *
         *     Permission: `authorizations:revoke`
         */
        delete: operations["revokeAuthorizationsOfApplication"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/authorizations/{grantId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an authorization with all its tokens
         * @description A repeat gets 404, like any unknown id.
         *
         *     Permission: `authorizations:revoke`
         */
        delete: operations["revokeAuthorization"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to the clients and authorizations of the account, newest first
         * @description `clientId` limits the list to one client that was not deleted. `trail=failures` lists wrong secrets of the clients. Names of operators and of users of other accounts are left out; `by` says that it was one.
         *
         *     Permission: `audit:read`
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened at all, newest first
         * @description At most one of `accountId`, `clientId` and `actor` limits the list.
         *
         *     Only for operators.
         */
        get: operations["listWholeAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find clients, accounts and users by their ids and names
         * @description Only for operators.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key or application of any account
         * @description Only for operators.
         */
        get: operations["getClient"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all access tokens of a client; its secret stays valid
         * @description Only for operators.
         */
        post: operations["revokeClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a client of any account, and revoke its tokens
         * @description Only for operators.
         */
        post: operations["disableClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable a client that was disabled
         * @description Only for operators.
         */
        post: operations["enableClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/clients/{clientId}/report-compromised": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all secrets, public keys and access tokens of a client, because a secret or private key leaked
         * @description Only for operators.
         */
        post: operations["reportCompromisedClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find an account by its exact id
         * @description Only for operators.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of an account
         * @description Only for operators.
         */
        get: operations["listApiKeysOfAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the applications of an account
         * @description Only for operators.
         */
        get: operations["listApplicationsOfAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/authorizations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the authorizations of an account
         * @description Only for operators.
         */
        get: operations["listAuthorizationsOfAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all tokens of an account, and everything that it has authorized
         * @description Only for operators.
         */
        post: operations["revokeAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/users/{userId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke all tokens of the clients of a user, and everything that the user has authorized
         * @description Only for operators.
         */
        post: operations["revokeUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase an account with all its users: delete everything of theirs for good
         * @description Only for operators.
         */
        post: operations["eraseAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/accounts/{accountId}/users/{userId}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a user: delete everything of theirs for good
         * @description Only for operators.
         */
        post: operations["eraseUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signing keys, without their private parts
         * @description Only for operators.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate the next signing keys
         * @description Only for operators.
         */
        post: operations["rotateSigningKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/signing-keys/{kid}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke a leaked signing key, and all tokens that it has signed
         * @description Only for operators.
         */
        post: operations["revokeSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/operator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The health of the service
         * @description Only for operators.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document
         * @description Needs no sign-in.
         */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        NewApiKey: {
            name: string;
            products?: string[];
            removedOperations?: string[];
            /** @description null: it never expires */
            expiresAt?: string | null;
            /** @description IP addresses and networks, such as `203.0.113.0/24`, from which it may be used */
            allowedAddresses?: string[];
            /** @description Public keys with which it authenticates, instead of a secret; at most 10 */
            jwks?: {
                keys: (string | {
                    kty: string;
                    kid?: string;
                    use?: string;
                    alg?: string;
                    crv?: string;
                    x?: string;
                    y?: string;
                    n?: string;
                    e?: string;
                })[];
            };
        };
        ApiKeyChanges: {
            name?: string;
            /** @description null: it never expires. An earlier time than before revokes the tokens issued so far */
            expiresAt?: string | null;
            /** @description A change revokes the tokens issued so far; empty: any address */
            allowedAddresses?: string[];
        };
        NewApplication: {
            name: string;
            products?: string[];
            removedOperations?: string[];
            /** @description null: it never expires */
            expiresAt?: string | null;
            /** @description IP addresses and networks, such as `203.0.113.0/24`, from which it may be used */
            allowedAddresses?: string[];
            /** @description Public keys with which it authenticates, instead of a secret; at most 10 */
            jwks?: {
                keys: (string | {
                    kty: string;
                    kid?: string;
                    use?: string;
                    alg?: string;
                    crv?: string;
                    x?: string;
                    y?: string;
                    n?: string;
                    e?: string;
                })[];
            };
            /** @description true: it runs in a browser or on a device, and gets no secret */
            isPublic?: boolean;
            redirectUris?: string[];
            postLogoutRedirectUris?: string[];
            /** @description Only for a public application: further origins whose pages may call the token endpoint */
            origins?: string[];
            homepageUri?: string;
            logoUri?: string;
            privacyUri?: string;
            termsUri?: string;
        };
        ApplicationChanges: {
            name?: string;
            /** @description null: it never expires. An earlier time than before revokes the tokens issued so far */
            expiresAt?: string | null;
            /** @description A change revokes the tokens issued so far; empty: any address */
            allowedAddresses?: string[];
            redirectUris?: string[];
            postLogoutRedirectUris?: string[];
            /** @description Only for a public application: further origins whose pages may call the token endpoint */
            origins?: string[];
            homepageUri?: string | null;
            logoUri?: string | null;
            privacyUri?: string | null;
            termsUri?: string | null;
        };
        NewKey: {
            /** @description A public key: a JWK (RFC 7517), or a text in PEM format */
            key: string | {
                kty: string;
                kid?: string;
                use?: string;
                alg?: string;
                crv?: string;
                x?: string;
                y?: string;
                n?: string;
                e?: string;
            };
        };
        NewOwner: {
            /** @description null for the account */
            userId: string | null;
        };
        NewLimits: {
            /** @description API calls a minute */
            perMinute?: number;
            /** @description API calls a day */
            perDay?: number;
        };
        Rotation: {
            overlapSeconds?: number;
        };
        LeakedSecret: {
            secret: string;
            /** @description Where the secret was found, such as `commit` */
            leakSource?: string;
            /** @description The address at which the secret was found */
            leakUrl?: string;
        };
        ApiKey: {
            /** @constant */
            kind: "apiKey";
            clientId: string;
            accountId: string;
            /** @description The user to whom it belongs; absent if it belongs to the account */
            userId?: string;
            createdBy?: string;
            name: string;
            products: string[];
            removedOperations: string[];
            disabled: boolean;
            /**
             * @description Only an operator may enable it; absent if its owner may
             * @constant
             */
            disabledBy?: "operator";
            /**
             * @description Why it gets no token; absent if it gets tokens
             * @enum {string}
             */
            noToken?: "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
            /** @description Users who have left the account and know a valid secret: rotate it */
            knownToFormer?: string[];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description From then on it gets no tokens; absent if it never expires
             */
            expiresAt?: string;
            /** @description From where it and its tokens may be used; absent or empty: from anywhere */
            allowedAddresses?: string[];
            /** @description Its own limits of API calls; absent if it has the limits of all clients */
            limits?: {
                perMinute?: number;
                perDay?: number;
            };
            /** @description Ids of its public keys, newest first; `GET …/keys` says more about them */
            keys?: string[];
            /** Format: date-time */
            lastUsedAt?: string;
            resourceServer: boolean;
            /** @description The resources whose tokens it may introspect; absent: all resources */
            resources?: string[];
        };
        ApiKeyPage: {
            items: components["schemas"]["ApiKey"][];
            cursor?: string;
        };
        CreatedApiKey: {
            apiKey: components["schemas"]["ApiKey"];
            /** @description Absent for a public application, and for a client that is created with `jwks` */
            clientSecret?: string;
        };
        Application: {
            /** @constant */
            kind: "application";
            clientId: string;
            accountId: string;
            /** @description The user to whom it belongs; absent if it belongs to the account */
            userId?: string;
            createdBy?: string;
            name: string;
            products: string[];
            removedOperations: string[];
            disabled: boolean;
            /**
             * @description Only an operator may enable it; absent if its owner may
             * @constant
             */
            disabledBy?: "operator";
            /**
             * @description Why it gets no token; absent if it gets tokens
             * @enum {string}
             */
            noToken?: "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
            /** @description Users who have left the account and know a valid secret: rotate it */
            knownToFormer?: string[];
            /** Format: date-time */
            createdAt: string;
            /**
             * Format: date-time
             * @description From then on it gets no tokens; absent if it never expires
             */
            expiresAt?: string;
            /** @description From where it and its tokens may be used; absent or empty: from anywhere */
            allowedAddresses?: string[];
            /** @description Its own limits of API calls; absent if it has the limits of all clients */
            limits?: {
                perMinute?: number;
                perDay?: number;
            };
            /** @description Ids of its public keys, newest first; `GET …/keys` says more about them */
            keys?: string[];
            /** Format: date-time */
            lastUsedAt?: string;
            redirectUris: string[];
            postLogoutRedirectUris: string[];
            homepageUri?: string;
            logoUri?: string;
            privacyUri?: string;
            termsUri?: string;
            firstParty: boolean;
            /** @description true: it has no secret and must use PKCE; absent for all others */
            isPublic?: boolean;
            /** @description Origins of a public application, besides those of its https redirect URIs */
            origins?: string[];
        };
        ApplicationPage: {
            items: components["schemas"]["Application"][];
            cursor?: string;
        };
        CreatedApplication: {
            application: components["schemas"]["Application"];
            /** @description Absent for a public application, and for a client that is created with `jwks` */
            clientSecret?: string;
        };
        Catalog: {
            kycLevel?: string;
            kycLevels: string[];
            products: {
                id: string;
                title: string;
                description?: string;
                operations: {
                    scope: string;
                    title: string;
                    description?: string;
                    routes: {
                        method: string;
                        path: string;
                    }[];
                    kycLevel?: string;
                    sensitive: boolean;
                    available: boolean;
                }[];
            }[];
        };
        AccessPreview: {
            /**
             * @description Why it gets no token; absent if it gets tokens
             * @enum {string}
             */
            noToken?: "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
            kycLevel?: string;
            products: {
                id: string;
                title: string;
                description?: string;
                added: boolean;
                operations: {
                    scope: string;
                    title: string;
                    description?: string;
                    routes: {
                        method: string;
                        path: string;
                    }[];
                    kycLevel?: string;
                    sensitive: boolean;
                    callable: boolean;
                    missing: ("product" | "operation" | "kycLevel" | "user" | "token")[];
                }[];
            }[];
        };
        Authorization: {
            grantId: string;
            clientId: string;
            accountId: string;
            userId?: string;
            /** @description What the application may use: the address of the API or of another resource */
            resource: string;
            scopes: string[];
            /** Format: date-time */
            authorizedAt: string;
            /** Format: date-time */
            lastUsedAt?: string;
            /** Format: date-time */
            expiresAt: string;
            /** @description What users may know about the application; absent if it was deleted */
            application?: {
                name: string;
                /** @description For an application with a client metadata document: show `host` as its name. It calls itself `name`, which is not checked unless `isVerified` */
                document?: {
                    host: string;
                    isVerified: boolean;
                };
                homepageUri?: string;
                logoUri?: string;
                privacyUri?: string;
                termsUri?: string;
            };
        };
        AuthorizationPage: {
            items: components["schemas"]["Authorization"][];
            cursor?: string;
        };
        RevokedAuthorizations: {
            grants: number;
        };
        Client: components["schemas"]["ApiKey"] | components["schemas"]["Application"];
        Account: {
            accountId: string;
            kycLevel?: string;
        };
        SearchResult: {
            clients: (components["schemas"]["ApiKey"] | components["schemas"]["Application"])[];
            accounts: {
                accountId: string;
                userId?: string;
                name?: string;
            }[];
        };
        RevokedAccess: {
            clients: number;
            grants: number;
        };
        ErasedRecords: {
            clients: number;
            grants: number;
            entries: number;
        };
        SigningKeyList: {
            items: {
                kid: string;
                alg: string;
                /** @enum {string} */
                state: "next" | "current" | "previous" | "retired" | "revoked";
                /** Format: date-time */
                createdAt?: string;
                /** Format: date-time */
                since?: string;
                /** Format: date-time */
                until?: string;
            }[];
        };
        Health: {
            ready: boolean;
            /** @enum {string} */
            status: "pass" | "warn" | "fail";
            checks: {
                name: string;
                /** @enum {string} */
                status: "pass" | "warn" | "fail" | "unknown";
                message: string;
                remedy?: string;
            }[];
            revocations: {
                enabled: boolean;
                stale: boolean;
                ageSeconds?: number;
                count: number;
            };
        };
        AuditEntry: {
            id: string;
            /** Format: date-time */
            at: string;
            name: string;
            /** @enum {string} */
            outcome: "success" | "failure";
            actor?: string;
            /**
             * @description Who did it, in `GET /audit`, if the account may not see the `actor`
             * @enum {string}
             */
            by?: "user" | "service";
            accountId?: string;
            userId?: string;
            clientId?: string;
            /** @enum {string} */
            kind?: "apiKey" | "application";
            /** @description The name that the client had before the act */
            clientName?: string;
            grantId?: string;
            tokenId?: string;
            keyId?: string;
            change?: string;
            target?: string;
            scopes?: string[];
            denied?: string[];
            /** @description Where a leaked secret was found, such as `commit` */
            leakSource?: string;
            /** @description The address at which a leaked secret was found */
            leakUrl?: string;
            added?: string[];
            removed?: string[];
            /** @description Why, as a code: `too-many-grants` */
            reason?: string;
            address?: string;
            userAgent?: string;
            /** @description How many equal acts or failures it covers */
            count?: number;
            /**
             * Format: date-time
             * @description When the last of the equal acts happened
             */
            until?: string;
            /** @description Whether a person of the entry was erased, so that no field names them */
            erased?: boolean;
        };
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            cursor?: string;
        };
        ClientFindings: {
            /** @enum {string} */
            kind: "apiKey" | "application";
            clientId: string;
            accountId: string;
            /** @description The user to whom it belongs; absent if it belongs to the account */
            userId?: string;
            name: string;
            /** @description What is wrong, the most urgent first */
            findings: ("known-to-former" | "breaks-policy" | "expires-soon" | "old-secret" | "two-secrets" | "unused" | "never-used" | "never-expires")[];
            /** @description Users who left the account and know a secret, with `known-to-former` */
            knownToFormer?: string[];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt?: string;
            /** Format: date-time */
            lastUsedAt?: string;
        };
        FindingsPage: {
            items: components["schemas"]["ClientFindings"][];
            cursor?: string;
        };
        UsageRows: {
            items: {
                /**
                 * Format: date-time
                 * @description The start of the hour or day
                 */
                at?: string;
                clientId?: string;
                /** @description A scope, `POST /oauth2/token` for token requests, or `other operations` */
                operation?: string;
                /** @enum {string} */
                result?: "successful" | "rejected" | "failed";
                /** @description What became of the calls */
                outcome?: string;
                count: number;
            }[];
        };
        TopClients: {
            items: {
                clientId: string;
                calls: number;
            }[];
        };
        UncalledOperations: {
            /** @description Scopes; absent if usage has been counted for fewer days */
            items?: string[];
        };
        RotatedSecret: {
            clientSecret: string;
            /** Format: date-time */
            oldSecretExpiresAt?: string;
        };
        SecretList: {
            items: {
                /** Format: date-time */
                createdAt: string;
                /** Format: date-time */
                expiresAt?: string;
                /**
                 * Format: date-time
                 * @description When a program last authenticated with it, to the hour
                 */
                lastUsedAt?: string;
                /** @description Its beginning and its last four characters; absent if it was imported */
                hint?: string;
                /** @description The user to whom it was shown */
                shownTo?: string;
            }[];
        };
        KeyList: {
            items: {
                kid: string;
                /** @enum {string} */
                kty: "EC" | "RSA";
                /** @description The only algorithm of the key; absent if all of its type are allowed */
                alg?: string;
                /** Format: date-time */
                createdAt: string;
                /**
                 * Format: date-time
                 * @description When a program last authenticated with it, to the hour
                 */
                lastUsedAt?: string;
            }[];
        };
        ReportedSecret: {
            /** @enum {string} */
            kind: "apiKey" | "application";
            clientId: string;
            /** @description Whether the secret or key was valid until now */
            wasValid: boolean;
        };
        UnusedProducts: {
            /** @description Ids of products */
            items: string[];
        };
        Session: {
            accountId: string;
            userId?: string;
            operator: boolean;
            csrfToken: string;
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            code: string;
            detail: string;
            /** @description With `ERR_CONFIRM`: the page where the caller signs in again */
            confirmUrl?: string;
            errors?: {
                path: string;
                /** @description What is wrong: `required`, `too-long`, … */
                code: string;
                message: string;
                min?: number;
                max?: number;
                expected?: string;
            }[];
        };
    };
    responses: {
        /**
         * @description Bad Request
         *
         *     - `ERR_QUERY`: the query has more than 100 parameters
         */
        Query: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 400;
                    /** @enum {string} */
                    code: "ERR_QUERY";
                };
            };
        };
        /**
         * @description Unauthorized
         *
         *     - `ERR_NOT_SIGNED_IN`: the request has neither a session nor a valid token
         */
        NotSignedIn: {
            headers: {
                /** @description How to authenticate */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 401;
                    /** @enum {string} */
                    code: "ERR_NOT_SIGNED_IN";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INPUT`: a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it
         */
        Input: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INPUT";
                };
            };
        };
        /**
         * @description Service Unavailable
         *
         *     - `ERR_STORE_UNAVAILABLE`: the store does not answer
         *     - `ERR_NOT_READY`: the service is starting
         *     - `ERR_CLOSED`: the service is closing
         */
        StoreUnavailableOrNotReadyOrClosed: {
            headers: {
                /** @description Seconds to wait before the next try */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 503;
                    /** @enum {string} */
                    code: "ERR_STORE_UNAVAILABLE" | "ERR_NOT_READY" | "ERR_CLOSED";
                };
            };
        };
        /** @description Something failed in the service. `code` says where, for its operators; a repeat may succeed. */
        InternalError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 500;
                };
            };
        };
        /**
         * @description Forbidden
         *
         *     - `ERR_FORBIDDEN`: the caller does not have the permission
         */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 403;
                    /** @enum {string} */
                    code: "ERR_FORBIDDEN";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INPUT`: a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it
         *     - `ERR_INVALID_ARGUMENT`: a value is not valid
         */
        InputOrInvalidArgument: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INPUT" | "ERR_INVALID_ARGUMENT";
                };
            };
        };
        /**
         * @description Bad Request
         *
         *     - `ERR_QUERY`: the query has more than 100 parameters
         *     - `ERR_BODY`: the body is not JSON, or is not an object
         */
        QueryOrBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 400;
                    /** @enum {string} */
                    code: "ERR_QUERY" | "ERR_BODY";
                };
            };
        };
        /**
         * @description Forbidden
         *
         *     - `ERR_FORBIDDEN`: the caller does not have the permission
         *     - `ERR_CONFIRM`: the caller must sign in again at `confirmUrl`, and then repeat the request
         *     - `ERR_CSRF`: a request with a session cookie has no valid `X-CSRF-Token`, or comes from a page of another site
         */
        ForbiddenOrConfirmOrCsrf: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 403;
                    /** @enum {string} */
                    code: "ERR_FORBIDDEN" | "ERR_CONFIRM" | "ERR_CSRF";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         *     - `ERR_IN_PROGRESS`: another request with this `Idempotency-Key` is in progress: send the request again after a second
         */
        ConflictOrInProgress: {
            headers: {
                /** @description Seconds to wait before the next try */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT" | "ERR_IN_PROGRESS";
                };
            };
        };
        /**
         * @description Payload Too Large
         *
         *     - `ERR_BODY_TOO_LARGE`: the body has more than 64 KiB
         */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 413;
                    /** @enum {string} */
                    code: "ERR_BODY_TOO_LARGE";
                };
            };
        };
        /**
         * @description Unsupported Media Type
         *
         *     - `ERR_MEDIA_TYPE`: the body is not `application/json`
         */
        MediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 415;
                    /** @enum {string} */
                    code: "ERR_MEDIA_TYPE";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INPUT`: a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it
         *     - `ERR_INVALID_ARGUMENT`: a value is not valid
         *     - `ERR_SCOPE_TOO_LARGE`: tokens of the client would be too large: remove operations first
         *     - `ERR_TOO_MANY_CLIENTS`: the account has as many API keys and applications as it may have: delete one first
         *     - `ERR_IDEMPOTENCY_KEY`: the `Idempotency-Key` does not have 1 to 255 visible characters, was used with another body, or what it created no longer exists
         */
        InputOrInvalidArgumentOrScopeTooLargeOrTooManyClientsOrIdempotencyKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INPUT" | "ERR_INVALID_ARGUMENT" | "ERR_SCOPE_TOO_LARGE" | "ERR_TOO_MANY_CLIENTS" | "ERR_IDEMPOTENCY_KEY";
                };
            };
        };
        /**
         * @description Not Found
         *
         *     - `ERR_NOT_FOUND`: there is no such thing, or it belongs to another account
         */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 404;
                    /** @enum {string} */
                    code: "ERR_NOT_FOUND";
                };
            };
        };
        /**
         * @description Forbidden
         *
         *     - `ERR_FORBIDDEN`: the caller does not have the permission
         *     - `ERR_CSRF`: a request with a session cookie has no valid `X-CSRF-Token`, or comes from a page of another site
         */
        ForbiddenOrCsrf: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 403;
                    /** @enum {string} */
                    code: "ERR_FORBIDDEN" | "ERR_CSRF";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT";
                };
            };
        };
        /**
         * @description Precondition Failed
         *
         *     - `ERR_CHANGED`: the client was changed meanwhile, or has no ETag of `If-Match`: read it again
         */
        Changed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 412;
                    /** @enum {string} */
                    code: "ERR_CHANGED";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INVALID_ARGUMENT`: a value is not valid
         *     - `ERR_SCOPE_TOO_LARGE`: tokens of the client would be too large: remove operations first
         */
        InvalidArgumentOrScopeTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INVALID_ARGUMENT" | "ERR_SCOPE_TOO_LARGE";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INVALID_ARGUMENT`: a value is not valid
         */
        InvalidArgument: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INVALID_ARGUMENT";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         *     - `ERR_DISABLED_BY_OPERATOR`: an operator disabled the client, so only an operator may enable it
         */
        ConflictOrDisabledByOperator: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT" | "ERR_DISABLED_BY_OPERATOR";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         *     - `ERR_IN_PROGRESS`: another request with this `Idempotency-Key` is in progress: send the request again after a second
         *     - `ERR_TWO_SECRETS`: two secrets are valid: revoke one of them first, or send `"overlapSeconds": 0`
         *     - `ERR_SECRETS_CHANGED`: the secrets were changed since the first request with this `Idempotency-Key`: use another key
         */
        ConflictOrInProgressOrTwoSecretsOrSecretsChanged: {
            headers: {
                /** @description Seconds to wait before the next try */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT" | "ERR_IN_PROGRESS" | "ERR_TWO_SECRETS" | "ERR_SECRETS_CHANGED";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INPUT`: a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it
         *     - `ERR_IDEMPOTENCY_KEY`: the `Idempotency-Key` does not have 1 to 255 visible characters, was used with another body, or what it created no longer exists
         */
        InputOrIdempotencyKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INPUT" | "ERR_IDEMPOTENCY_KEY";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         *     - `ERR_ONE_SECRET`: no secret and no key would be left
         */
        ConflictOrOneSecret: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT" | "ERR_ONE_SECRET";
                };
            };
        };
        /**
         * @description Unprocessable Entity
         *
         *     - `ERR_INPUT`: a field, or a parameter of the query, is unknown, is missing, or does not have the valid form; or the request has `If-Match`, and does not support it
         *     - `ERR_INVALID_ARGUMENT`: a value is not valid
         *     - `ERR_IDEMPOTENCY_KEY`: the `Idempotency-Key` does not have 1 to 255 visible characters, was used with another body, or what it created no longer exists
         */
        InputOrInvalidArgumentOrIdempotencyKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 422;
                    /** @enum {string} */
                    code: "ERR_INPUT" | "ERR_INVALID_ARGUMENT" | "ERR_IDEMPOTENCY_KEY";
                };
            };
        };
        /**
         * @description Conflict
         *
         *     - `ERR_CONFLICT`: too many changes were made at the same time: send the request again. With `errors`, another key of the client has the same `kid`
         *     - `ERR_SIGNING_KEYS_READ_ONLY`: the signing keys are configured in the app, and cannot be changed here
         */
        ConflictOrSigningKeysReadOnly: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {integer} */
                    status: 409;
                    /** @enum {string} */
                    code: "ERR_CONFLICT" | "ERR_SIGNING_KEYS_READ_ONLY";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                name?: string;
                product?: string;
                state?: "active" | "no-token" | "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
                unusedSince?: string;
                sort?: "newest" | "name" | "last-used";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key within 24 hours gets the same answer */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Where the new thing, or the list that has it, can be read; relative to the address of the request */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["ConflictOrInProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgumentOrScopeTooLargeOrTooManyClientsOrIdempotencyKey"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApiKeyChanges"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    previewApiKeyAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessPreview"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    addApiKeyProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                product: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgumentOrScopeTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApiKeyProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                product: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    restoreApiKeyOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgumentOrScopeTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApiKeyOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    disableApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    enableApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrDisabledByOperator"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    handOverApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    reportApiKeyCompromised: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApiKeySecrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    rotateApiKeySecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key within 24 hours gets the same answer */
                "Idempotency-Key"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Where the new thing, or the list that has it, can be read; relative to the address of the request */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrInProgressOrTwoSecretsOrSecretsChanged"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrIdempotencyKey"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeOldApiKeySecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeNewApiKeySecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrOneSecret"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApiKeyKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    addApiKeyKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApiKeyKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrOneSecret"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApplications: {
        parameters: {
            query?: {
                name?: string;
                product?: string;
                state?: "active" | "no-token" | "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
                unusedSince?: string;
                sort?: "newest" | "name" | "last-used";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    createApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key within 24 hours gets the same answer */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApplication"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Where the new thing, or the list that has it, can be read; relative to the address of the request */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApplication"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["ConflictOrInProgress"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgumentOrScopeTooLargeOrTooManyClientsOrIdempotencyKey"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getApplication: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    deleteApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    updateApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplicationChanges"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    previewApplicationAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessPreview"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    addApplicationProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                product: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgumentOrScopeTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApplicationProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                product: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    restoreApplicationOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgumentOrScopeTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApplicationOperation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                scope: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    disableApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    enableApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrDisabledByOperator"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    handOverApplication: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    reportApplicationCompromised: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApplicationSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecretList"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    rotateApplicationSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat with the same key within 24 hours gets the same answer */
                "Idempotency-Key"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    /** @description Where the new thing, or the list that has it, can be read; relative to the address of the request */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrInProgressOrTwoSecretsOrSecretsChanged"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgumentOrIdempotencyKey"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeOldApplicationSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeNewApplicationSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrOneSecret"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApplicationKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    addApplicationKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeApplicationKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Make the change only if the ETag is still this one */
                "If-Match"?: string;
            };
            path: {
                clientId: string;
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Application"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrOneSecret"];
            412: components["responses"]["Changed"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    reportLeakedSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakedSecret"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedSecret"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    reportLeakedSecretOfAnyAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakedSecret"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportedSecret"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listFindings: {
        parameters: {
            query?: {
                kind?: "apiKey" | "application";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingsPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listFindingsOfAllAccounts: {
        parameters: {
            query?: {
                accountId?: string;
                kind?: "apiKey" | "application";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingsPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listUnusedProducts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnusedProducts"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                clientId?: string;
                from?: string;
                to?: string;
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageRows"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listUsageOfAllAccounts: {
        parameters: {
            query?: {
                accountId?: string;
                clientId?: string;
                from?: string;
                to?: string;
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageRows"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listTopClients: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopClients"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listUncalledOperations: {
        parameters: {
            query?: {
                clientId?: string;
                days?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UncalledOperations"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    setLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLimits"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            400: components["responses"]["QueryOrBody"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    removeLimits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listAuthorizations: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeAuthorizationsOfApplication: {
        parameters: {
            query: {
                clientId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedAuthorizations"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeAuthorization: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                grantId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                trail?: "changes" | "failures";
                clientId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listWholeAudit: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                trail?: "changes" | "failures";
                clientId?: string;
                accountId?: string;
                actor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    search: {
        parameters: {
            query: {
                text: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description For If-Match */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedAccess"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    disableClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    enableClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    reportCompromisedClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApiKeysOfAccount: {
        parameters: {
            query?: {
                name?: string;
                product?: string;
                state?: "active" | "no-token" | "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
                unusedSince?: string;
                sort?: "newest" | "name" | "last-used";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listApplicationsOfAccount: {
        parameters: {
            query?: {
                name?: string;
                product?: string;
                state?: "active" | "no-token" | "disabled-by-operator" | "disabled" | "expired" | "compromised" | "no-secret" | "gateway" | "no-product" | "no-operation" | "owner-gone" | "user-operations" | "kyc-level" | "no-redirect-uri";
                unusedSince?: string;
                sort?: "newest" | "name" | "last-used";
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listAuthorizationsOfAccount: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationPage"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["InputOrInvalidArgument"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedAccess"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedAccess"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    eraseAccount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedRecords"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    eraseUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                accountId: string;
                userId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErasedRecords"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeyList"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    rotateSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrCsrf"];
            409: components["responses"]["ConflictOrSigningKeysReadOnly"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    revokeSigningKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["ForbiddenOrConfirmOrCsrf"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConflictOrSigningKeysReadOnly"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["MediaType"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["Query"];
            401: components["responses"]["NotSignedIn"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["Input"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StoreUnavailableOrNotReadyOrClosed"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["Query"];
            500: components["responses"]["InternalError"];
        };
    };
}
