/** One page of the reference. */
export interface ReferencePage {
  /** Name of the file below `docs/reference/`, without its ending. */
  readonly file: string
  readonly title: string
  /** What the page describes, as a sentence. */
  readonly about: string
  /** The exported names that the page describes, in the order of the page. */
  readonly parts: readonly string[]
}

export const REFERENCE_PAGES: readonly ReferencePage[] = [
  {
    file: 'options',
    title: 'Options of createGatehouse',
    about: 'Every option of `createGatehouse()`, with its type and default.',
    parts: ['GatehouseOptions', 'RevocationOptions'],
  },
  {
    file: 'lifetimes-and-keys',
    title: 'Lifetimes and signing keys',
    about: 'The options `lifetimes` and `signingKeys` of `createGatehouse()`.',
    parts: ['Lifetimes', 'RotationSchedule', 'HostKeys'],
  },
  {
    file: 'gatehouse',
    title: 'Gatehouse',
    about: 'What `createGatehouse()` returns: middleware, services, shutdown.',
    parts: ['createGatehouse', 'Gatehouse', 'AnyGatehouse', 'Logger'],
  },
  {
    file: 'management',
    title: 'Management API',
    about: 'The options of `createManagementApi()`, and the permissions that `accounts.can` is asked for.',
    parts: ['createManagementApi', 'ManagementOptions', 'Permission', 'PermissionTarget'],
  },
  {
    file: 'console',
    title: 'Console',
    about: 'The options of `createConsole()`, and its parts that can be mounted alone.',
    parts: [
      'createConsole',
      'Console',
      'ConsoleOptions',
      'ConsolePage',
      'PolicyDirectives',
      'ConsolePartOptions',
      'ConsoleTexts',
      'PageText',
      'PluralText',
    ],
  },
  {
    file: 'backup',
    title: 'Backup and migration',
    about: 'The functions of `koa-gatehouse/backup`: export and import.',
    parts: ['exportRegistry', 'importRegistry', 'ImportOptions', 'RegistrySource', 'ImportedRegistry'],
  },
  {
    file: 'health',
    title: 'Health and shutdown',
    about: 'What `health()` of a gatehouse or a gateway reports, and the options of `shutdown()`.',
    parts: ['Health', 'HealthCheck', 'RevocationHealth', 'ShutdownOptions', 'WebServer'],
  },
  {
    file: 'clients',
    title: 'API keys and applications',
    about: 'The methods of `gatehouse.apiKeys` and `gatehouse.applications`.',
    parts: ['ApiKeys', 'Applications', 'ClientService'],
  },
  {
    file: 'client-input',
    title: 'Input and results of API keys and applications',
    about: 'What the methods of `gatehouse.apiKeys` and `gatehouse.applications` take and return.',
    parts: [
      'NewApiKey',
      'NewApplication',
      'NewClient',
      'ClientChanges',
      'ApplicationChanges',
      'ChangeOptions',
      'AddProductOptions',
      'DisableOptions',
      'NoTokenReason',
    ],
  },
  {
    file: 'secrets',
    title: 'Secrets',
    about: 'Secrets of API keys and applications: what rotations and lists return, and two functions.',
    parts: ['RotationOptions', 'RotatedSecret', 'SecretInfo', 'hashSecret', 'isSecret'],
  },
  {
    file: 'audit',
    title: 'Audit trail',
    about: 'The methods of `gatehouse.audit`, and what an entry contains.',
    parts: [
      'AuditTrail',
      'AuditEntry',
      'AuditReason',
      'AuditListOptions',
      'AuditPage',
      'AuditReadOptions',
      'AuditRecord',
      'AuditOptions',
    ],
  },
  {
    file: 'client-records',
    title: 'Client records',
    about: 'What an API key and an application look like.',
    parts: ['Client', 'ApiKey', 'Application', 'ClientPage', 'ListOptions', 'OwnerListOptions', 'ListOrder'],
  },
  {
    file: 'accounts',
    title: 'Accounts',
    about: 'The option `accounts`: the callbacks that tell gatehouse about your accounts.',
    parts: ['Accounts', 'Account', 'SignedIn', 'FoundAccount'],
  },
  {
    file: 'account-changes',
    title: 'Changes of accounts',
    about: 'The methods for accounts that change: `gatehouse.accounts`.',
    parts: [
      'AccountService',
      'AccountChangeOptions',
      'AccountChanges',
      'ExposedSecret',
      'PersonToErase',
      'ErasedRecords',
    ],
  },
  {
    file: 'access',
    title: 'Grants, tokens and signing keys',
    about: 'The methods that list and revoke: `gatehouse.grants`, `.tokens` and `.signingKeys`.',
    parts: [
      'Grants',
      'GrantHolder',
      'GrantListOptions',
      'Grant',
      'GrantPage',
      'Tokens',
      'TokenOwner',
      'RevokedAccess',
      'SigningKeys',
      'SigningKeyInfo',
    ],
  },
  {
    file: 'gateway',
    title: 'Gateway and ctx.state.auth',
    about:
      'The methods of `gatehouse.gateway`, and the principal that an accepted call has as `ctx.state.auth`.',
    parts: ['Principal', 'Gateway', 'TokenEnd', 'GatewayMiddlewareOptions', 'PublicRoute', 'GatewayEvents'],
  },
  {
    file: 'authenticate',
    title: 'Calls outside of Koa',
    about: 'What `gateway.authenticate()` takes and returns.',
    parts: ['IncomingCall', 'AuthenticateOptions', 'Authentication', 'Authenticated', 'ErrorResponse'],
  },
  {
    file: 'remote-gateway',
    title: 'createGateway and its options',
    about: 'The gateway of an API in another process, from `koa-gatehouse/gateway`.',
    parts: ['createGateway', 'GatewayOptions', 'RevocationFeed'],
  },
  {
    file: 'products',
    title: 'Products',
    about: 'The option `products`: products, operations and routes.',
    parts: [
      'ProductSource',
      'ProductDefinitions',
      'ProductDefinition',
      'OperationDefinition',
      'RouteDefinition',
      'HttpMethod',
      'LocalizedText',
      'ScopeOf',
      'ProductOf',
    ],
  },
  {
    file: 'events',
    title: 'Events',
    about: 'The events of `gatehouse.on(name, listener)`, and the object that each listener receives.',
    parts: ['GatehouseEvents', 'AccountEvent', 'GrantEvent', 'ClientEvent', 'KeyEvent', 'EventSource'],
  },
  {
    file: 'errors',
    title: 'Errors',
    about: 'The error class of the library, and the meaning and remedy of each error code.',
    parts: ['GatehouseError', 'GatehouseErrorCode', 'Problem', 'ProblemCode'],
  },
  {
    file: 'texts',
    title: 'Look and texts of the pages',
    about: 'The options `branding` and `texts`: look and every text of the sign-in, consent and error pages.',
    parts: ['Branding', 'Texts'],
  },
  {
    file: 'stores',
    title: 'Stores',
    about: '`memoryStore()` and `redisStore()` with its options.',
    parts: ['memoryStore', 'redisStore', 'RedisStoreOptions', 'Durability', 'RedisClient', 'RedisConnection'],
  },
  {
    file: 'store-interface',
    title: 'The Store interface',
    about: 'What an adapter for another database implements.',
    parts: ['Store', 'StoreInspection', 'StoreCheck'],
  },
  {
    file: 'testing',
    title: 'Testing',
    about: 'The helpers of `koa-gatehouse/testing`.',
    parts: [
      'mintToken',
      'MintedToken',
      'MintOptions',
      'createTestIssuer',
      'TestIssuer',
      'storeContract',
      'StoreContractOptions',
      'StoreContractCase',
    ],
  },
]
