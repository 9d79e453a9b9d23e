import type { PageText } from '../../../http/pages/texts.ts'

/** Every text of the console, in English. Names in braces become values: `{name}`. */
export const english = {
  // The texts of the navigation, of errors, and of what all pages have in common.
  layoutTitle: 'Developer console',
  layoutHome: 'Back to {service}',
  layoutSignOut: 'Sign out',
  navLabel: 'Console',
  navMenu: 'Menu',
  navOverview: 'Overview',
  navApiKeys: 'API keys',
  navApplications: 'Applications',
  navConnected: 'Connected applications',
  navActivity: 'Activity',
  navOperator: 'Operator',
  navInspector: 'Token inspector',
  navDevelopers: 'For developers',

  copyButton: 'Copy',
  copiedButton: 'Copied',
  saveButton: 'Save',
  cancelLink: 'Cancel',
  nextPageLink: 'Next page',
  firstPageLink: 'First page',
  opensNewTab: '(opens in a new tab)',
  justNow: 'just now',
  never: 'never',
  none: 'none',

  // The names of things, and the links and buttons, that several pages have.
  operationLabel: 'Operation',
  lowestLevel: 'lowest',
  showAllLink: 'Show all',
  latestActivity: 'Latest activity',
  nameLabel: 'Name',
  productsLabel: 'Products',
  stateLabel: 'State',
  createdLabel: 'Created',
  sensitiveLabel: 'Sensitive',
  clientIdLabel: 'Client ID',
  clientSecretLabel: 'Client secret',
  expiresLabel: 'Expires',
  moreOthers: { one: 'and {count} more', other: 'and {count} more' },
  disableButton: 'Disable',
  enableButton: 'Enable',
  operationsLabel: 'Operations',
  privacyPolicy: 'Privacy policy',
  appsLinkHint: 'Optional. The consent page links to it.',
  connectedCount: { one: '{count} application', other: '{count} applications' },
  moreCount: { one: '{count} more', other: '{count} more' },
  applicationLabel: 'Application',
  accountLabel: 'Account',
  sinceLabel: 'Since',

  problemsTitle: 'Nothing was saved',
  /** Names a line of a field with several lines. */
  problemLine: '{field}, line {count}',
  /** Shown below a field of several lines. */
  problemInLine: 'Line {count}: {problem}',
  /** Window title of a page whose form was rejected. */
  problemWindow: 'Error: {title}',

  errorNotFoundTitle: 'Not found',
  errorNotFound: 'There is nothing at this address, or it belongs to another account.',
  errorForbiddenTitle: 'No permission',
  errorForbidden: 'Your account may not do this. Ask the person who manages it.',
  errorOperator: 'Only operators of this service may do this.',
  errorOwner: 'It belongs to another person, and only this person may do this.',
  errorFormTitle: 'The form could not be checked',
  errorForm:
    'Nothing was done. The form belongs to another session, or another site has sent it. Open the page again and repeat what you did.',
  errorSignInTitle: 'Sign in again',
  errorSignIn: 'You are signed out, so nothing was done.',
  signInLink: 'Sign in',
  errorBusyTitle: 'Not available for the moment',
  errorBusy:
    'The service cannot be reached. Try again in a moment. If you changed something, look first whether it was done.',
  errorInternalTitle: 'Something went wrong on our side',
  errorInternal: 'The people who run this service have been informed. Try again later.',
  errorRepeated:
    'This form was sent already with other content, or what it created was deleted since. Begin again.',
  errorInProgress: 'The same form is being processed. Wait a moment, then reload the page.',
  errorMethod: 'This address cannot be used in that way.',
  tryAgainLink: 'Try again',
  backToStart: 'Back to the start page',

  // What is wrong with a form. Most texts follow the name of the field.
  problemRequired: 'must not be empty',
  problemUnknown: 'is not a field of this form',
  problemType: 'has a value of the wrong kind',
  problemFormat: 'does not have the right form',
  problemChoice: 'must be one of the values of the list',
  problemTooEarly: 'must be in the future',
  problemTooLate: 'must be at most {max} days ahead',
  problemRange: 'must be a whole number from {min} to {max}',
  problemTooLong: 'must have at most {max} characters',
  problemTooMany: 'must have at most {max} entries',
  problemCharacters:
    'must not contain line breaks, control characters or characters that reverse the direction of text',
  problemDuplicate: 'is in the list already',
  problemNotFound: 'does not exist, or no longer exists',
  problemNotAllowed: 'is not allowed here',
  problemNetwork: 'must be an IP address, or a network such as 203.0.113.0/24 or 2001:db8::/32',
  problemNetworkAll: 'allows every address: leave the field empty instead',
  problemNetworkSpelling: 'must be written as {expected}',
  problemUrl: 'must be an absolute URL, such as “https://example.com/callback”',
  problemUrlCharacters:
    'must not contain white space, control characters or invisible characters: encode them as %XX',
  problemUrlHttps: 'must start with “https://”',
  problemUrlHttpsOrLoopback:
    'must start with “https://”; plain http is accepted on localhost, 127.0.0.1 and [::1] only',
  problemUrlCredentials: 'must not contain a user name or password: leave out the part before the “@”',
  problemUrlFragment: 'must not have a fragment: leave out the “#” and what follows it',
  problemUrlWildcard: 'must not have a wildcard: list each address on its own',
  problemUrlSpelling: 'must be written the way that browsers write it: {expected}',
  problemUrlsTooLong:
    'All addresses together have more than {max} characters. Use fewer or shorter addresses.',
  problemUrlHttp:
    'must start with “http://localhost”, “http://127.0.0.1” or “http://[::1]”: a program on a computer has no certificate for this address',
  problemUrlRedirect:
    'must start with “https://”, with “http://” on localhost, 127.0.0.1 or [::1], or with a domain name in reverse order, such as “com.example.app:/callback”',
  problemOrigin: 'must be an origin, such as “https://app.example.com”',
  problemPublicApplication: 'must be empty for a public application, which has no secret and no key',
  problemFirstParty: 'is possible only if all redirect URIs begin with “https://”',
  problemPublicKey:
    'is not a public key. Paste a JWK, or a text that begins with “-----BEGIN PUBLIC KEY-----”',
  problemPrivateKey:
    'is a private key, which must stay secret. Nothing was stored. Paste the public key. If others may have seen this private key, create a new pair',
  problemKeyLeaked: 'belongs to a private key that was reported as leaked. Create a new pair',
  problemKeyType:
    'must be an EC key with the curve P-256 (ES256), or an RSA key of 2048 to 4096 bits (RS256, PS256), for signatures',
  problemNoProduct: 'Tick at least one product. Operations count only if their product is ticked.',
  problemOtherName: 'Type it exactly as it is shown.',
  problemOverlap: 'End of the present secret',
  problemFormExpired: 'The form is more than 24 hours old. Check it, and send it again.',
  problemScopeTooLarge:
    'The tokens would be too large for a request. Remove operations that are not needed, or split the products between several clients.',
  problemConflict: 'It was changed meanwhile, so nothing was done. Look at how it is now first.',
  problemTooManyClients:
    'The account has as many API keys and applications as it may have. Delete some of them first.',
  problemSigningKeysReadOnly: 'The signing keys are managed elsewhere, and cannot be changed here.',

  overviewStart: 'What do you want to do?',
  overviewLevel: 'Verification level: {level}',
  overviewMayLook:
    'You can look at what your account has. To create or change an API key or an application, ask an admin of your account.',
  overviewInspect: 'Inspect a token',
  overviewKeysWhat: 'An API key lets your own program use the data of your account.',
  overviewApplicationsWhat: 'An application uses the data of other people, after they have agreed to it.',
  overviewConnectedWhat: 'Applications of others that you have allowed to use your account.',
  overviewConnectedShow: 'Show connected applications',
  overviewCount: { one: '{count} in total', other: '{count} in total' } as PageText,
  overviewLastHour: 'Last seen (hour)',
  stepsTitle: 'First steps',
  stepsCreate: 'Create an API key or an application',
  stepsGuide: 'Open the guide of {name}',
  stepsDone: 'Done',
  moreThan: 'more than {what}',

  // The texts of the lists of API keys and applications, of the form that creates one, and of new secrets.
  doneExpirySaved: 'The expiry is saved.',

  // Why an API key or application gets no tokens.
  stateActive: 'Active',
  stateByOperator: 'Disabled by an operator',
  stateByOperatorWhy:
    'An operator of this service disabled it: it gets no tokens, and its tokens are rejected. Only an operator can enable it again; please ask them.',
  stateDisabled: 'Disabled',
  stateDisabledWhy: 'It is disabled: it gets no tokens, and its tokens are rejected.',
  stateExpired: 'Expired',
  stateExpiredWhy:
    'It has expired: it gets no tokens, and no token of it is valid any more. Set a later day to use it again.',
  stateExpiredNext: 'Change the expiry',
  stateCompromised: 'Secret leaked',
  stateCompromisedWhy:
    'A leak was reported, so no secret is valid. Programs get no tokens until you create a new secret and give it to them.',
  stateNoSecret: 'No secret and no key',
  stateNoSecretWhy:
    'It has no valid secret and no public key. Programs get no tokens until its owner creates a new secret and gives it to them.',
  gatewayBadge: 'Gateway',
  gatewayWhat:
    'A gateway in another process reads revocations with this key. Without a valid key, it receives none. It needs no tokens.',
  gatewayStops: 'Its gateway receives no revocations until it has a valid key.',
  gatewayResources: 'May introspect tokens for',
  gatewayAllResources: 'all resources',
  gatewayCreate: 'Create gateway key',
  gatewaySeen: 'Gateway last seen',
  gatewayOldSecretUntil: 'The old secret works until {time}. Give the gateway the new one before that.',
  stateNoProduct: 'No product yet',
  stateNoProductWhy: 'It gets no tokens until it has a product.',
  stateNoOperation: 'No operation left',
  stateNoOperationWhy:
    'It gets no tokens, because all operations of its products were removed, or its products are no longer offered.',
  stateNoOperationNext: 'Change its operations',
  stateOwnerGone: 'Owner has left',
  stateOwnerGoneWhy:
    'It gets no tokens, because the person or account to which it belongs does not exist any more. Give it to the account, or to another person.',
  stateUserOperations: 'Owner lacks permission',
  stateUserOperationsWhy:
    'It gets no tokens, because the person to whom it belongs may use none of its operations. Give it to the account, or to another person.',
  stateLevel: 'Level too low',
  stateLevelWhy:
    'It gets no tokens, because all its operations need a higher verification level of your account.',
  stateLevelNext: 'See the levels',
  stateNoRedirectUri: 'No redirect URI',
  clientsKnownToFormer:
    'People who have left the account know a secret of it: {users}. Create a new secret, and give it to your programs.',
  belongsToLabel: 'Belongs to',
  createdByLabel: 'Created by',
  ownerAccount: 'The account',

  // The page that gives an API key or application to someone else.
  handOverLink: 'Hand over',
  handOverTitle: 'Hand over {name}',
  handOverWhat: 'Without a person, it belongs to the account, and stays when people leave.',
  handOverNot:
    'It belongs to the account, and stays when people leave. The account has no person to give it to.',
  handOverTokens: 'Its tokens stop working at once, because they act as its present owner.',
  handOverSecrets:
    'Its secrets keep working. If the present owner must not know them any more, create a new secret afterwards.',
  handOverToPerson:
    'If you give it to a person, all its public keys stop working. All its secrets stop working too, unless only this person has seen them. A program that loses its secret or key stops until this person creates a new secret.',
  handOverToAccount:
    'If you give it to the account, its secrets and public keys keep working, and programs get new tokens. If the present owner must not know them any more, replace them afterwards.',
  handOverTo: 'Person (optional)',
  handOverHint: 'The ID of a person of this account. Leave it empty to give it to the account.',
  clientsKeyHandOver: 'Hand over API key',
  clientsAppHandOver: 'Hand over application',
  doneHandedOver: 'It is handed over.',

  // The allowed addresses and the expiry of an API key or application.
  restrictionsTitle: 'Restrictions',
  addressesTitle: 'Allowed addresses',
  addressesLabel: 'Addresses and networks, one in each line',
  addressesHint:
    'Programs get tokens, and use them, only from these IP addresses and networks, such as 203.0.113.0/24. Leave the field empty to allow any address.',
  addressesPublicHint:
    'It runs on the devices of its users, which have addresses of their own. So leave the field empty, unless all users are in networks that you know, such as 203.0.113.0/24.',
  addressesAny: 'any',
  addressesRevoke: 'A change revokes all tokens issued so far. Programs get new ones.',
  expiryTitle: 'Expiry',
  expiryLabel: 'Last day (UTC)',
  expiryWhen: 'When does it expire?',
  expiryDays: { one: '{count} day', other: '{count} days' },
  expiryNever: 'Never',
  expiryOther: 'Another day',
  expiryMax: 'At most {days} days from today.',
  expiryEarlier:
    'If you choose a day before {day}, its present tokens stop working at once. Programs then get new ones.',
  expiryBreaksPolicy:
    'It keeps working, although this service now requires an earlier expiry. Choose an earlier day.',
  expiryBadge: 'Expires {in}',

  clientsUsedLately: 'within the last hour',
  clientsInUse: 'In use',
  clientsCallsToday: 'API calls today (UTC)',
  clientsCallsWeek: 'Calls in 7 days',

  clientsKeyListTitle: 'API keys',
  clientsAppListTitle: 'Applications',
  clientsKeyCreate: 'Create API key',
  clientsAppCreate: 'Create application',
  clientsKeyEmptyTitle: 'Call the API from your own program',
  clientsAppEmptyTitle: 'Build a service for other people',
  clientsKeyEmptyWhat:
    'An API key lets your own program, such as a script or a server, use the data of your account. You choose which operations it may call.',
  clientsAppEmptyWhat:
    'An application uses the data of other accounts, after their users have agreed to it. Users see its name and what it may do, and they can disconnect it at any time.',
  clientsKeyEmptyOther: 'Does your program need the data of other people?',
  clientsAppEmptyOther: 'Does your program need only the data of your own account?',
  clientsKeyEmptyOtherLink: 'Then create an application',
  clientsAppEmptyOtherLink: 'Then create an API key',

  clientsTrail: 'Pages above',
  clientsKeyNewTitle: 'New API key',
  clientsAppNewTitle: 'New application',
  clientsKeyNameHint:
    'Say which program uses the key, such as “Nightly export”. Only people with access to your account see it.',
  clientsAppNameHint:
    'Users read this name when they are asked to connect the application. Use the name of your service.',
  clientsProductsHint:
    'Choose what it may use. Open a product to leave out single operations: fewer operations do less harm if the secret leaks. You can change this later.',
  clientsOnlyIfChosen: 'These count only if you tick the product above.',
  clientsBeyondYou: 'You may not use this operation yourself, so the key does not get it.',
  clientsProductsNone: 'There are no products yet. You can add them later.',
  clientsOperationCount: { one: '{count} operation', other: '{count} operations' },
  clientsBlockedCount: {
    one: '{count} operation needs a higher verification level of your account.',
    other: '{count} operations need a higher verification level of your account.',
  },
  clientsNeedsLevel:
    'Needs the level “{needed}”. The account has “{level}”: the operation can be added, but not requested from users yet.',
  clientsRedirectUris: 'Redirect URIs (needed before users can connect)',
  clientsRedirectUrisHint:
    'One address in each line. After users agree, the browser returns to one of these addresses, which gets the authorization. So the addresses are compared character by character, without wildcards. They begin with https://, or with http://localhost while you develop.',
  clientsRedirectUrisPublicHint:
    'A public application may also use http:// on 127.0.0.1, [::1] or localhost, where the program chooses the port at each sign-in, and a scheme of its own, such as com.example.app:/callback.',
  clientsKind: 'Where does it run?',
  clientsKindServer: 'On a server',
  clientsKindServerHint: 'It gets a secret, which stays on the server.',
  clientsKindPublic: 'In a browser, on a phone or on a computer',
  clientsKindPublicHint:
    'A public application: it gets no secret, because its users could read it, and it must use PKCE. You cannot change this later.',
  keysInstead: 'Paste a public key instead of getting a secret',

  clientsSecretCreated: '{name} is created',
  clientsSecretRotated: 'New secret of {name}',
  clientsSecretOnce: 'This is the only time you see the secret.',
  clientsSecretStore:
    'Store it now, for example in your password manager or in the configuration of your server. If you lose it, create a new one. Never put it into source code, apps or web pages.',
  clientsCredentials: 'Credentials',
  clientsKeySecretStored: 'I have stored it; go to the key',
  clientsAppSecretStored: 'I have stored it; go to the application',
  clientsOldSecretUntil: 'The old secret works until {time}. Give your programs the new one before that.',
  clientsOldSecretEnded: 'No older secret works any more. Give your programs the new one now.',
  clientsNextTitle: 'Next',
  clientsNextProduct: 'Choose a product on the next page. Without a product, nothing can be called.',
  clientsNextGuide:
    'When the secret is stored, the guide shows how users connect the application, and how it calls the API.',
  clientsTryTitle: 'Try it',
  clientsTryHint:
    'Paste the first block into a terminal on macOS or Linux. It asks for the secret, so that it does not get into the history of the shell: paste the secret from above, which stays invisible, and press Enter.',
  clientsTryToken: '1. Get a token',
  clientsTryCall: '2. Call the API with it',
  donePublicCreated: 'It is created. It has no secret: the guide shows how it signs users in with PKCE.',
  doneCreatedWithKey: 'It is created. It has no secret: programs authenticate with the private key.',

  // The texts of the page of one API key or application.
  doneProductAdded: 'The product is added. Programs can use it with their next token.',
  doneProductRemoved:
    'The product is removed. Tokens issued so far no longer work. Programs then need a new token; most get one by themselves after a 401.',
  doneOperationRemoved:
    'The operation is removed. Tokens issued so far no longer work. Programs then need a new token; most get one by themselves after a 401.',
  doneOperationRestored: 'The operation is restored. Programs can use it with their next token.',
  doneRotationUndone: 'The new secret is revoked. The old secret is valid again, without an end.',
  doneOldSecretRevoked: 'The old secret is revoked.',
  doneOnlySecretRevoked: 'The secret is revoked. Programs authenticate with a key.',
  doneKeyAdded: 'The public key is added. Programs can use its private key now.',
  doneKeyRemoved: 'The public key is removed.',
  doneClientDisabled: 'It is disabled.',
  doneClientEnabled: 'It is enabled.',
  doneClientReported:
    'All its secrets and tokens are revoked. Create a new secret and give it to your programs.',
  doneKeysReported:
    'All its secrets, public keys and tokens are revoked. Add a new public key, or create a new secret, for your programs.',
  doneClientDeleted: 'It is deleted.',

  clientsAbout: 'Summary',
  clientsMayCall: 'What it may call',
  clientsMayCallNothing: 'nothing at present',
  clientsNoRedirectUri: 'Users cannot connect this application yet, because it has no redirect URI.',

  clientsAccess: 'Access',
  clientsKeyAccessHint:
    'If you remove something, all tokens issued so far stop working at once. Programs then need a new token; most get one by themselves after a 401.',
  clientsAppAccessHint:
    'What the application may request from users. If you remove something, all tokens issued so far stop working at once. Programs then need a new token; most get one by themselves after a 401.',
  clientsKeyAccessNone: 'The key may call nothing yet. Add a product first.',
  clientsAppAccessNone: 'The application may request nothing yet. Add a product first.',
  clientsAllowed: 'Allowed',
  clientsLacksProduct: 'Product not added',
  clientsLacksOperation: 'Removed',
  clientsRemove: 'Remove',
  clientsRestore: 'Restore',
  clientsAdd: 'Add',
  clientsRemoveProduct: 'Remove product',
  clientsRemoveProductTitle: 'Remove {product}?',
  clientsRemoveOperationTitle: 'Remove “{operation}”?',
  clientsProductWithdrawn: 'This product is no longer offered, so nothing of it can be called.',
  clientsAddProducts: 'Add a product',
  clientsAddHint: 'A product is added with all its operations. You can remove single operations afterwards.',
  clientsAddedAboveLevel: 'Added, but users cannot be asked for it until the account has level “{needed}”.',

  secretsAndKeysTitle: 'Secrets and keys',
  clientsSecrets: 'Secrets',
  clientsNewSecretUnused:
    'No program has used the new secret yet. Programs that still use the old one get no tokens when it stops.',
  clientsSecretNew: 'New secret',
  clientsSecretOld: 'Old secret',
  clientsSecretSince: 'Created {date} ({ago})',
  clientsSecretUsed: 'Last used {ago}',
  clientsSecretNeverUsed: 'Not used yet',
  clientsSecretUntil: 'Works until {time} ({ago})',
  clientsSecretValid: 'Valid',
  clientsNoSecret: 'No secret is valid.',
  clientsNoSecretButKey: 'There is no secret. Programs authenticate with a key.',
  clientsSecretShownTo: 'Shown to {user}',
  clientsTwoSecrets:
    'Two secrets are valid. When all programs use the new one, revoke the old one. To create another secret, first revoke one of the two.',
  clientsRevokeOld: 'Revoke old secret',
  clientsRevokeNew: 'Undo: revoke new secret',
  clientsRevokeOnly: 'Revoke secret',
  clientsRevokeOldWhat: 'Programs that still use it get no tokens from then on.',
  clientsRevokeNewWhat: 'Programs that already use it get no tokens from then on.',
  clientsRotateTitle: 'Create a new secret',
  clientsRotate: 'Create new secret',
  clientsRotateWhat: 'A new secret is created, and shown once.',
  clientsOverlap: 'How long does the present secret keep working?',
  clientsOverlapHint: 'Meanwhile both secrets work, so you can switch your programs one by one.',
  clientsOverlapNow: 'It stops at once. Programs get no tokens until they have the new secret.',
  clientsOverlapHour: '1 hour',
  clientsOverlapDay: '24 hours',
  clientsOverlapWeek: '7 days',
  publicBadge: 'Public',
  publicTitle: 'Public application',
  publicText:
    'This application is public: it runs on the devices of its users, so it has no secret, and uses PKCE instead: only the program that began a sign-in can complete it. Every program can use its client ID, so its redirect URIs alone decide who receives the authorization.',
  keysTitle: 'Public keys',
  keysHint:
    'Programs can authenticate with a private key (private_key_jwt). Only the public key is stored here.',
  keysNone: 'There is no public key yet.',
  keysSince: 'Added {date} ({ago})',
  keysOnly:
    'Programs authenticate with this key alone. Before you remove it, add another key or create a secret.',
  keysFull: 'There are {count} public keys, and more are not possible. To add one, first remove another.',
  keysLeakHint:
    'Did a private key leak? Report it below. If you do not know whose key it is, the {inspector} tells you, and stores nothing.',
  keysAdd: 'Add a public key',
  keysAddWhat: 'Programs can then authenticate with the private key.',
  keysLabel: 'Public key',
  keysFieldHint:
    'A JWK, or a text that begins with {header}. It is an EC key with the curve P-256, or an RSA key of 2048 to 4096 bits. Never paste a private key here.',
  keysRemoveTitle: 'Remove the public key {key}?',
  keysRemoveTokens: 'Tokens that programs got with it stay valid.',
  keysRemoveButton: 'Remove public key',
  keysLeaked: 'Report a leaked secret or private key',
  keysLeakedHint:
    'All secrets, public keys and tokens stop working at once, for ever. Programs then need a new key or secret.',
  keysReportTitle: 'Report a leaked secret or private key of {name}',
  keysReportSecrets: 'All its secrets and public keys stop working at once.',
  keysReportNext: 'Programs get no tokens until you add a new public key, or create a new secret.',
  keysReportButton: 'Revoke all secrets, keys and tokens',

  clientsSettings: 'Settings',
  clientsPreview: 'Preview of the consent page',
  clientsSetRedirectUri: 'Add a redirect URI',

  clientsActivityNone: 'Nothing has been changed yet.',
  clientsActivityAll: 'All activity of the account',

  clientsDanger: 'Danger zone',
  clientsDisableTitle: 'Disable {name}',
  clientsDisableHint: 'Its tokens stop working at once, and it gets no new ones. It can be enabled again.',
  clientsKeyEnable: 'Enable this API key',
  clientsAppEnable: 'Enable this application',
  clientsEnableHint: 'Programs can get tokens again. Tokens from before stay invalid.',
  clientsLeaked: 'Report a leaked secret',
  clientsLeakedHint:
    'All secrets and tokens stop working at once, for ever. Programs then need a new secret.',
  clientsLeakedLink: 'Report',
  clientsKeyDelete: 'Delete this API key',
  clientsAppDelete: 'Delete this application',
  clientsDeleteHint: 'Programs that use it stop working at once, for good.',
  clientsDeleteLink: 'Delete',

  clientsWhatHappens: 'What happens',
  clientsReportTitle: 'Report a leaked secret of {name}',
  clientsReportSecrets: 'All its secrets stop working at once.',
  clientsReportTokens: 'All access tokens issued so far stop working at once.',
  clientsReportNext: 'Programs get no tokens until you create a new secret and give it to them.',
  clientsReportUsers: 'Users stay connected, and need not agree again.',
  clientsReportButton: 'Revoke all secrets and tokens',

  clientsDeleteTitle: 'Delete {name}',
  clientsDeleteTokens: 'All its secrets and tokens stop working at once.',
  clientsKeyDeleteWhat: 'Every program that uses this key stops working.',
  clientsAppDeleteWhat: 'The application is disconnected from all its users.',
  clientsDeleteForever: 'This cannot be undone. The client ID is never used again.',
  clientsDeleteName: 'To confirm, type the name: {name}',

  guideTitle: 'Use it from your program',
  guideIntro: 'All examples have the values of {name}. Copy them as they are.',
  guideSettings: 'Settings',
  guideSecretHint:
    'The examples read the secret from the environment variable {variable}. Keep it on your server only: never in a browser, in an app, or in your source code.',
  guideAuthentication: 'Authentication',
  guideAuthenticationNone: '{method}: the application has no secret. It sends its client ID, and uses PKCE.',
  guideAuthenticationKey: '{method}: the program signs a short-lived JWT with its private key.',
  guideAssertion: 'Authenticate with the private key',
  guideAssertionHint:
    'With each request to the token endpoint, the program sends a new JWT as {parameter}. Most OAuth libraries make it, if you give them the private key and its ID (kid). The private key never leaves the server.',
  guideAssertionExpiry: 'at most 5 minutes ahead',
  guideAssertionId: 'a new random text each time',
  guideIssuer: 'Issuer',
  guideAuthorizationAddress: 'Authorization endpoint',
  guideTokenAddress: 'Token endpoint',
  guideRevocationAddress: 'Revocation endpoint',
  guideAudience: 'Address of the API',
  guideRedirectUri: 'Redirect URI',
  guideNoOperation: 'There is nothing to call yet',
  guideNoOperationHint: 'Add a product first. Then this page shows how to call it.',
  guideNoRedirect: 'There is no redirect URI yet',
  guideNoRedirectHint:
    'After users allow the application, their browser returns to its redirect URI. Add one first. Then this page shows the examples.',
  guideOpenClient: 'Choose products',
  guideDisabled: 'It is disabled. Until you enable it, the token endpoint answers 401.',

  guideTerminal: 'Try it in a terminal',
  guideStepSecret: 'Enter the secret',
  guideStepSecretHint: 'It is not shown while you type, and it does not get into the history of the shell.',
  guideStepToken: 'Get a token',
  guideStepTokenHint:
    'The response says in expires_in for how many seconds the token is valid. Use it for all calls until then.',
  guideStepAllow: 'Ask a user for access',
  guideStepAllowHint:
    'Open the address that is printed in a browser. You sign in, and see the page on which users allow the application.',
  guideStepCode: 'Copy the code',
  guideStepCodeHint:
    'Then the browser opens the redirect URI. Copy the value after code= from its address. It is valid for a short time, and only once.',
  guideStepCodeNote:
    'If a program answers at this address, stop it first. Or put a redirect URI at which nothing listens, such as http://localhost:9/callback, first in the settings, and reload this page.',
  guideStepExchange: 'Exchange the code for tokens',
  guideStepCall: 'Call the API',
  guideStepRefresh: 'Get a new token',
  guideStepRefreshHint:
    'A token expires, the authorization of the user stays. Each response has a new refresh token. Store it at once: the old one is no longer valid.',
  guideStepRevoke: 'Revoke a token',
  guideStepRevokeKeyHint:
    'When a token is no longer needed, or has leaked, the revocation endpoint (RFC 7009) revokes it. Later calls with it get 401.',
  guideStepRevokeAppHint:
    'When a token is no longer needed, or has leaked, the revocation endpoint (RFC 7009) revokes it. Later calls with it get 401. If you send the refresh token instead, the user is disconnected.',
  guideNoRead: 'No operation can be called without a value in its address. Call one of the operations above.',

  guideProgram: 'In your program',
  guideDocumentation: 'Documentation of {service}',
  guideProgramHint: 'Every OAuth 2.0 library works with the settings above.',

  guideAnswers: 'What the answers mean',
  guideAnswerApi401: '401 from the API',
  guideAnswerKey401:
    'The token is missing, has expired, or was revoked, for example because an operation was removed. Get a new token, and call again once.',
  guideAnswerApp401:
    'The token is missing, has expired, or was revoked. Get a new token with the refresh token, and call again once.',
  guideAnswerApi403: '403 from the API',
  guideAnswerKey403:
    'The token is valid, but the operation is not among those that it may call. Allow it on the page “Access”, then get a new token.',
  guideAnswerApp403:
    'The token is valid, but the user did not allow this operation. Ask the user for access again, with this scope.',
  guideAnswerClient401: '401 invalid_client from the token endpoint',
  guideAnswerClient401Hint:
    'The client ID or the secret is wrong, the secret was replaced, or it is disabled.',
  guideAnswerClient401Public: 'The client ID is wrong, or it is disabled.',
  guideAnswerClient401Key:
    'The client ID or the JWT is wrong, the JWT was used before, the key was removed, or it is disabled.',
  guideAnswerGrant: '400 invalid_grant from the token endpoint',
  guideAnswerGrantHint:
    'The code or the refresh token was used before or has expired, or the user disconnected the application. Ask the user for access again.',
  guideAnswer429Hint: 'Too many calls. Wait as long as Retry-After says, then try again.',
  guideAnswer503Hint:
    'The service is not available for the moment. Wait as long as Retry-After says, then try again.',

  doneSettingsSaved: 'The settings are saved. They apply at once.',
  appsPreviewLink: 'Preview the consent page',
  appsSignIn: 'Where users return to',
  appsRedirectUris: 'Redirect URIs',
  appsRedirectUrisHint:
    'One address in each line, at most 20. Your program must send exactly the same text, character by character, so wildcards are not possible. Write https://, or http://localhost while you develop. If you remove an address, sign-ins that use it fail; connected users stay connected.',
  appsPostLogout: 'Addresses after sign-out',
  appsPostLogoutHint:
    'Optional. One address in each line, with the same rules. Needed only if your application signs users out here.',
  appsRedirectUrisPublicHint:
    'One address in each line, at most 20. Write https://, http:// on 127.0.0.1, [::1] or localhost, or a scheme of your own, such as com.example.app:/callback. Your program must send exactly the same text; only the port on 127.0.0.1, [::1] and localhost may differ. If you remove an address, sign-ins that use it fail; connected users stay connected.',
  appsOrigins: 'Origins',
  appsOriginsHint:
    'Optional. One in each line, at most 20, such as http://localhost:5173. Pages at these origins may call the token endpoint. The origins of the https:// redirect URIs need no entry.',
  appsUsers: 'Users',
  appsUsersHint: 'They are not counted. Its activity lists when users allow and disconnect it.',
  appsAppearance: 'What users see',
  appsAppearanceHint: 'The consent page and the list of connected applications show these details.',
  appsNameHint: 'At most 120 characters. Choose the name by which users know the application.',
  appsHomepage: 'Home page',
  appsHomepageHint: 'Optional. Where users can read what the application does.',
  appsLogo: 'Logo',
  appsLogoHint:
    'Optional. The https:// address of a square picture, at least 128 × 128 pixels. PNG, SVG or WebP. Without it, users see the first letter of the name.',
  appsTerms: 'Terms of service',
  appsChanged:
    'The form below has the newer values. These fields had other values in your form; change them again if that is still needed:',

  appsLevelRaise:
    'Your account has the level “{level}”. It is the level of the developer, not of the users. Verify your account to raise it; it applies to new requests at once.',

  appsPreviewWindow: 'Consent page of {name}',
  appsPreviewIntro:
    'Users see this page before {name} may act for them, with everything that it may request now. A request for fewer scopes shows fewer lines. The buttons do nothing here. Scroll in the frame to see the whole page.',
  appsPreviewChange: 'Change settings',
  appsPreviewTab: 'Open in a tab',
  appsPreviewNoRedirect:
    'Users cannot see this page yet, because there is no redirect URI. Add one in the settings.',
  appsPreviewNoProduct: 'The application has no product yet, so it can ask for no operations.',
  appsPreviewNotShown: {
    one: 'Not shown: {operations}. Your account has the level “{level}”; it needs “{needed}”.',
    other: 'Not shown: {operations}. Your account has the level “{level}”; they need “{needed}”.',
  },
  appsPreviewExpired: 'The application has expired. Users see an error instead of this page.',
  appsPreviewDisabled: 'The application is disabled. Users see an error instead of this page.',
  appsPreviewFirstParty: 'This application belongs to this service, so users are not asked for consent.',

  connectedIntro:
    'You allowed these applications to act for you. You see what each may do, and the day of its last use; single calls are not listed here. Disconnect the ones that you no longer use or do not know.',
  connectedEmptyTitle: 'No connected applications',
  connectedEmpty:
    'If you allow an application to act for you, it appears here. You see what it may do, and you can disconnect it at any time.',
  connectedDeveloper: 'by {developer}',
  connectedMay: 'It may:',
  connectedMayAt: 'At {resource} it may:',
  connectedMayNothing: 'It may do nothing at the moment.',
  connectedSince: 'Connected since {date}',
  connectedLastUsed: 'last used {date}',
  connectedUnknown: 'Unknown application',
  connectedUnknownHint:
    'The application {clientId} was deleted, so its name is no longer known. It can no longer act for you. Disconnect it to remove it from this list.',
  connectedDisconnect: 'Disconnect',
  connectedConfirm: 'Disconnect {name}?',
  connectedConfirmWhat:
    'It loses access at once, and whatever you use it for stops working. To connect it again, you must allow it again.',
  connectedDisconnected: '{name} is disconnected. It can no longer act for you.',
  connectedUnknownDisconnected: 'The deleted application is disconnected. It can no longer act for you.',
  connectedDocumentMissing:
    'Its description at {clientId} is no longer known here. It can no longer act for you. Disconnect it to remove it from this list.',
  /** For an application that identifies itself by a client metadata document. */
  documentCallsItself: 'It calls itself “{name}”. {service} has not checked this name.',
  documentVerifiedName: '{name}, verified by {service}',
  connectedScopeOpenid: 'Know who you are',
  connectedScopeProfile: 'See your profile, such as your name and picture',
  connectedScopeEmail: 'See your email address',
  connectedScopeAddress: 'See your postal address',
  connectedScopePhone: 'See your phone number',
  connectedScopeOffline: 'Keep access while you are away',

  activityIntro:
    'What happened to the API keys, applications and connections of your account, newest first. What users allow one of your applications is on the page of that application.',
  activityChangesLink: 'Changes',
  activityFailuresLink: 'Failed attempts',
  activityFilterLabel: 'What to show',
  activityEmpty: 'Nothing has happened yet. As soon as an API key is created or changed, it is listed here.',
  activityNoFailures:
    'There are no failed attempts. A request with a wrong secret of one of your API keys or applications would be listed here within a minute.',
  activityWho: 'Who',
  activityWhen: 'When',
  activityTakesAccess: 'Removes access',
  activityFailed: 'Failed attempt',
  activityTimes: { one: '{count} time', other: '{count} times' } as PageText,
  activityApiKey: 'API key',
  activityAgentOn: '{program} on {system}',

  activityByTheClient: 'the program itself',
  activityByUser: 'a user',
  activityByService: 'the service',
  activityAutomatic: 'automatic',
  activityByStranger: 'unknown',

  activityFieldsChanged: 'Changed: {fields}',
  activityProductAdded: 'Product “{product}” added',
  activityProductRemoved: 'Product “{product}” removed, and its tokens revoked',
  activityOperationRemoved: 'Operation “{operation}” removed, and its tokens revoked',
  activityOperationRestored: 'Operation “{operation}” allowed again',
  activitySecretRotated: 'New secret created',
  activityOldSecretRevoked: 'Old secret revoked',
  activityNewSecretRevoked: 'New secret revoked; the old one stays valid',
  activityPublicKeyAdded: 'Public key {key} added',
  activityPublicKeyRemoved: 'Public key {key} removed',
  activityDisabled: 'Disabled, and its tokens revoked',
  activityEnabled: 'Enabled',
  activityHandedOver: 'Handed over: {from} → {to}',
  activitySecretExposed: 'A secret is known to people who have left the account',
  activityTokensRevoked: 'All access tokens revoked',
  activityScopedTokensRevoked: 'Access tokens with certain operations revoked',
  activityExpiring: 'Expires on {time}',
  activityExpired: 'Expired on {time}: it gets no tokens any more',
  activityDeleted: 'Deleted, and its tokens revoked',
  activityLeakSource: 'Found in: {id}',
  activityLeakUrl: 'Found at: {id}',
  activityCompromised: 'Reported as leaked: secrets and tokens revoked',
  activityApproved: 'Application allowed to use the account',
  activityDenied: 'Application not allowed to use the account',
  activityLimited: 'Operations that the user may no longer use: the tokens with them revoked',
  activityDisconnected: 'Application disconnected, and its tokens revoked',
  activityErased: 'A person’s data was erased',
  activityByErased: 'erased',
  activityTokenRevoked: 'One access token revoked',
  activityTokenIssued: 'Access token issued',
  activityTokenRejected: 'Request for a token rejected',
  activityRefreshRetried: 'Refresh token sent again after a lost answer',
  activityRefreshReused:
    'Refresh token used twice, so it may be stolen: application disconnected, and its tokens revoked',
  activityRefreshTwice:
    'The program sent one refresh token twice within {seconds} s. Change it: one refresh at a time, and store the new refresh token at once.',
  activityCodeReused:
    'Authorization code used twice, so it may be stolen: application disconnected, and its tokens revoked',
  activityWrongSecret: 'Request with a wrong secret rejected',
  activitySignInRejected: 'Sign-in with wrong credentials rejected',
  activityKeyPublished: 'Signing key published; it signs later',
  activityKeyActivated: 'Signing key activated: it signs new tokens',
  activityKeyRetired: 'Signing key retired: all tokens that it signed have expired',
  activityKeyRevoked: 'Signing key revoked, with all tokens that it signed',
  activityCatalogReloaded: 'Operations of products changed',
  activityCatalogRejected: 'New products rejected because they are not valid',
  activityRevocationsStale: 'A process no longer receives revocations',
  activityLimitsStale: 'Calls are counted in one process alone',
  activityLimitsFresh: 'Calls are counted together again',
  activityRevocationsFresh: 'A process receives revocations again',
  activityHostBlocked: 'The application host {host} was blocked',
  activityHostUnblocked: 'The application host {host} was unblocked',
  activityError: 'A request failed because of an internal error',

  activityOperations: 'Operations: {list}',
  activityAllowedOperations: 'Allowed: {list}',
  activityDeniedOperations: 'Denied: {list}',
  activityAdded: 'Added: {list}',
  activityRemoved: 'Removed: {list}',
  activityToken: 'Token {id}',
  activityKey: 'Key {id}',
  activityReason: 'Reason: {reason}',
  activityReasonClient: 'the application revoked it itself',
  activityReasonTooManyRevoked: 'the application revoked too many tokens one by one',
  activityReasonHost: 'an operator blocked the host of the application',
  activityReasonTooMany: 'there were more than 100 connections of one person to one application',
  activityReasonAccount: 'the account or its level has changed',
  activityReasonFlood: 'too many different attempts within a minute; they are counted together',

  activityFieldName: 'name',
  activityFieldExpiresAt: 'expiry',
  activityFieldAllowedAddresses: 'allowed addresses',
  activityFieldLimits: 'limits',
  activityFieldProducts: 'products',
  activityFieldRedirectUris: 'redirect URIs',
  activityFieldPostLogoutRedirectUris: 'addresses after sign-out',
  activityFieldOrigins: 'origins',
  activityFieldHomepageUri: 'home page',
  activityFieldLogoUri: 'logo',
  activityFieldPrivacyUri: 'privacy policy',
  activityFieldTermsUri: 'terms of service',
  activityFieldFirstParty: 'own application of the service',
  activityFieldResourceServer: 'key of an API (resource server)',

  freshTitle: 'This needs a fresh sign-in',
  freshText:
    'Sign in again in a new tab. Then come back here, and send this form again: what you entered stays here.',
  freshLink: 'Sign in again in a new tab',
  freshDoneTitle: 'Go back to your other tab',
  freshDoneText:
    'Close this tab. What you entered is in the tab that you came from: send the form again there.',

  hygieneTitle: 'Needs attention',
  hygieneLink: { one: '{count} client needs attention', other: '{count} clients need attention' } as PageText,
  hygieneManyLink: 'At least {count} clients need attention',
  hygieneIntro: 'What you should look at, the most urgent first.',
  hygieneNothing: 'Nothing needs attention.',
  hygieneNothingHere: 'None of those that were examined needs attention. The next page examines more.',
  hygieneFinding: 'What was found',
  hygieneFix: 'What you can do',
  findingKnownToFormer: 'People who have left know its secret: {users}.',
  findingBreaksPolicy: 'It lives longer than this service allows now.',
  findingExpiresSoon: 'It expires {in}.',
  findingOldSecret: 'Its secret was created {ago}. This service wants a new one after {days} days.',
  findingTwoSecrets: 'Two secrets have been valid since the rotation {ago}.',
  findingOldUsed: 'The old one was last used {ago}.',
  findingOldNeverUsed: 'The old one is not used.',
  findingUnused: 'It was last used {ago}.',
  findingNeverUsed: 'It was created {ago}, and never used.',
  findingNeverExpires: 'It never expires, although this service requires an expiry.',
  fixExpire: 'Let it expire in {days} days',
  fixExpireHint: 'Its present tokens stop working at once. Programs then get new ones.',
  fixRenew: 'Extend it to {days} days',
  fixNeverExpire: 'Remove the expiry',
  fixRenewHint: 'Its secret and its tokens stay valid.',
  fixRotateHint: 'You choose when the present secret stops working. Tokens stay valid.',
  fixAskOwner: 'Ask its owner for a new secret',
  hygieneProducts: 'Products that nothing uses',
  hygieneProductsFind: 'Find them',
  hygieneProductsAllUsed: 'Every product belongs to an API key or an application.',
  hygieneProductsHint: 'No API key and no application has them. Offer them, or remove them from the catalog.',

  limitsTitle: 'Call limits',
  limitsUsed: 'about {used} of {limit} calls',
  limitsLastMinute: 'Last minute',
  limitsHint:
    'If both fields are empty, it has the limits of all clients: {limits}. Otherwise an empty field means no limit.',
  limitsPerMinute: 'Calls a minute',
  limitsPerDay: 'Calls a day',
  limitsMinute: { one: '{count} a minute', other: '{count} a minute' },
  limitsDay: { one: '{count} a day', other: '{count} a day' },
  doneLimitsSaved: 'The limits were saved. They apply within seconds.',

  usageTitle: 'Usage',
  usageIntro: 'API calls of {name}, and what became of them. Times are in UTC.',
  usageIntroAccount: 'API calls of the API keys and applications of this account. Times are in UTC.',
  usageIntroAll: 'API calls of all clients. Times are in UTC.',
  usageDays: { one: '24 hours', other: '{count} days' },
  usageApiCalls: 'API calls',
  usageSum: { one: '{count} call', other: '{count} calls' },
  usageNone: 'No calls in this time.',
  usageTable: 'As a table',
  usageCsv: 'Download as CSV',
  usageTime: 'Time',
  usageCalls: 'Calls',
  usageSuccessful: 'Successful',
  usageRejected: 'Rejected',
  usageFailed: 'Failed',
  usageProblems: 'Most frequent errors',
  usageNoProblems: 'Nothing was rejected, and nothing failed.',
  usageOutcome: 'What happened',
  usageOperations: 'Most called operations',
  usageClients: 'API keys and applications with the most calls',
  usageTokenRequests: 'Token requests: {issued} issued, {rejected} rejected.',
  usageTokenRequest: 'Token request',
  usageCount: 'Count',
  usageOtherOperations: 'Other requests',
  usageOthers: 'Others',
  uncalledTitle: 'Operations that are not called',
  uncalledLink: 'Operations that are not called',
  uncalledIntro:
    'Operations that an API key may use, and has not called for {days} days. Without them, a stolen secret can do less.',
  uncalledTooEarly: 'Usage is known for less than {days} days. Look again later.',
  uncalledNone: 'Every operation was called.',
  uncalledHint:
    'Its present tokens stop working at once. Programs then get new ones. You can add the operations again.',
  uncalledRemove: { one: 'Remove {count} operation', other: 'Remove {count} operations' },
  doneOperationsRemoved: 'The operations were removed.',
  outcomeOk: 'Answered',
  outcomeAccepted: 'Let through',
  outcomeIssued: 'Token issued',
  outcomeClientError: 'The API rejected the request (4xx)',
  outcomeServerError: 'The API failed (5xx)',
  outcomeAborted: 'The connection closed before the answer',
  outcomeUnavailable: 'The gateway could not check the token (503)',
  outcomeMissingToken: 'No access token (401)',
  outcomeInvalidRequest: 'Malformed request (400)',
  outcomeInvalidToken: 'Not a valid token (401)',
  outcomeExpiredToken: 'Expired token (401)',
  outcomeRevokedToken: 'Revoked token (401)',
  outcomeInsufficientScope: 'The operation is not allowed (403)',
  outcomeAddress: 'From an address that is not allowed (403)',
  outcomeRateLimited: 'Too many calls (429)',
  outcomeNotFound: 'No such operation (404)',
  outcomeDisabled: 'The client is disabled (401)',
  outcomeExpired: 'The client has expired (401)',
  outcomeInvalidClient: 'Wrong client ID or secret (401 or 429)',
  outcomeInvalidGrant: 'Code or refresh token not valid (400)',
  outcomeInvalidScope: 'Scope that the client does not have (400)',
  outcomeInvalidTarget: 'Token for an unknown API (400)',
  outcomeUnauthorizedClient: 'The client may not do this (400)',
  outcomeUnsupportedGrantType: 'Unknown grant type (400)',
  outcomeOtherError: 'Another error',
  remedyClientError: 'Read the error in the answer of the API.',
  remedyServerError: 'Try again later. Tell us if it goes on.',
  remedyAborted: 'Check the timeout of your program.',
  remedyInvalidRequest: 'Compare the request with the guide of the client.',
  remedyExpiredToken: 'After a 401, get a new token and repeat the call.',
  remedyInsufficientScope: 'Add the operation to the client, or stop calling it.',
  remedyAddress: 'Add the address to the client, or call from an allowed one.',
  remedyRateLimited: 'Wait as long as Retry-After says, and call less often.',
  remedyNotFound: 'Check the method and the path.',
  remedyInvalidClient: 'Check the secret. If the requests are not yours, another person is trying secrets.',
  remedyInvalidGrant: 'Send the user through the sign-in again.',
  remedyUnauthorizedClient: 'See the state of the client, and its restrictions, on its pages.',

  // The texts of the search and of the pages of one client or account, for operators.
  operatorNav: 'Pages of operators',
  operatorNavBack: '← Own account',
  operatorStart: 'Start',

  listNothing: 'Nothing matches this filter.',
  listAny: 'Any',
  listProduct: 'Product',
  listUnused: 'No token for {count} days',
  listSort: 'Sort by',
  listNewest: 'Newest first',
  listFilter: 'Filter',
  stateNoToken: 'Cannot get tokens',

  operatorAccounts: 'Accounts and users',
  operatorCalls: 'API calls in 24 hours',
  operatorTokenRequests: 'Token requests in 24 hours',
  operatorFailures: 'Failed attempts in 24 hours',
  operatorLeaks: 'Leak reports in 7 days',
  operatorNewest: 'Newest API keys and applications',
  operatorSearchTitle: 'Find a client or an account',
  operatorSearchField: 'ID or name',
  operatorSearchHint: 'A client or account ID, a user as account/user, or the beginning of words of a name.',
  operatorSearchButton: 'Find',
  operatorSearchNone: 'Nothing was found.',
  operatorSearchNoneAccount: 'Open it as an account anyway',
  operatorSearchNoneWhy:
    'If the account was deleted, its API keys, applications and connections may still exist.',
  operatorMore: 'Details',

  operatorUser: 'User',
  operatorLastUsed: 'Last token',
  operatorMarks: 'Marks',
  operatorFirstParty: 'own application of the service, without a consent page',
  operatorDeleted: 'Deleted',
  operatorDeletedText:
    'This API key or application was deleted. Its tokens are rejected, and its ID is never used again.',
  operatorSearchNoneClient: 'Open it as a client',
  operatorTrailEmpty: 'There are no entries, or they are older than the audit trail keeps them.',
  operatorActions: 'Actions',

  operatorDisableText:
    'Its present tokens are rejected at once, and it gets no new ones until an operator enables it.',
  operatorRevokeTokens: 'Revoke tokens',
  operatorRevokeTokensText: 'All its present tokens are rejected. It can get new ones.',
  operatorCompromised: 'Report as leaked',
  operatorCompromisedText:
    'All its secrets and tokens are revoked. It stops working until its owner creates a new secret.',
  doneOperatorDisabled: 'It is disabled until an operator enables it.',
  doneOperatorRevoked: 'Its tokens are rejected.',
  doneOperatorCompromised: 'All its secrets and tokens are revoked. Tell the owner to create a new secret.',

  operatorAccountTitle: 'Account {account}',
  operatorUserTitle: 'User {user} of account {account}',
  operatorUnknownAccount: 'The host does not know it',
  operatorUnknownAccountText:
    'It gets no new tokens. What belonged to it may still exist: revoke everything if it was deleted.',
  operatorLevel: 'Verification level',
  operatorKind: 'Kind',
  operatorClients: 'API keys and applications',
  operatorNoClients: 'There are none.',
  operatorNoConnections: 'No application is connected.',
  operatorFirstOnly: 'Only the first {count} of each kind are shown.',
  operatorPartly: 'Some records of this account are corrupt',
  operatorBack: 'Back',

  // The texts of the pages on which an operator revokes everything of an account or user.
  operatorRevokeAll: 'Revoke all tokens and connections',
  operatorRevokeAccountLink: 'Revoke everything of this account',
  operatorRevokeUserLink: 'Revoke everything of this user',
  operatorRevokeAllText:
    'For an account that was taken over or deleted. All tokens are rejected at once, and all applications are disconnected. You can end all secrets too.',

  operatorRevokeAllTitle: 'Revoke all tokens and connections of account {account}?',
  operatorRevokeUserTitle: 'Revoke all tokens and connections of user {user} of account {account}?',
  operatorRevokeHits: 'What is affected',
  operatorKeys: { one: '{count} API key', other: '{count} API keys' } as PageText,
  operatorGrants: { one: '{count} connection', other: '{count} connections' } as PageText,
  operatorRevokeKeysText: 'Their present tokens are rejected at once.',
  operatorRevokeApplicationsText:
    'All tokens that users gave to them are rejected. The users stay connected, so the applications can get new tokens.',
  operatorRevokeGrantsText: 'The applications are disconnected. Each must ask again for the authorization.',
  operatorRevokeNothing: 'Nothing at present: there are no API keys, no applications and no connections.',
  operatorRevokeNot: 'What does not end',
  operatorRevokeSecrets:
    'API keys and applications can get new tokens with their secrets, unless they are disabled or reported as leaked.',
  operatorRevokeSession:
    'The sign-in at your own website does not end. The person can connect applications again. End the sign-in there.',
  operatorEndSecrets: 'Also end all secrets (report all API keys and applications as leaked)',
  operatorEndSecretsHint: 'Nothing gets a new token until its owner creates a new secret.',
  operatorRevokedTitle: 'All tokens and connections are revoked',
  operatorRevokedNothing: 'There was nothing to revoke: no API keys, no applications and no connections.',
  operatorRevokedClients: {
    one: 'The tokens of {count} API key or application are rejected.',
    other: 'The tokens of {count} API keys and applications are rejected.',
  } as PageText,
  operatorRevokedGrants: {
    one: '{count} connection has ended.',
    other: '{count} connections have ended.',
  } as PageText,
  operatorEndedSecrets: {
    one: '{count} API key or application was reported as leaked. All its secrets have ended.',
    other: '{count} API keys and applications were reported as leaked. All their secrets have ended.',
  } as PageText,
  operatorStillTitle: 'What can still get tokens',
  operatorStillText:
    'These can get new tokens with their secrets. Open a page to disable one, or to report it as leaked.',
  operatorStillMore: 'Only the first {count} are shown. The page of the account has the others.',
  operatorStillNone: 'No API key and no application of this owner can get new tokens.',

  operatorErase: 'Erase personal data',
  operatorEraseText:
    'For a person who asks for it, or an account that was closed. Everything is deleted for good.',
  operatorEraseAccount: 'Erase this account',
  operatorEraseUser: 'Erase this user',
  operatorEraseAccountTitle: 'Erase account {account} with all its users?',
  operatorEraseUserTitle: 'Erase user {user} of account {account}?',
  operatorEraseDeleted:
    'Deleted: the API keys, the applications and the connections. All tokens are rejected at once. The activity loses IDs, names, network addresses and browsers.',
  operatorEraseStays:
    'Stays: what happened and when, without a name; the IDs of the deleted API keys and applications; and a hash, by which a restored backup is erased again.',
  operatorEraseStaysOfUser:
    'Stays: what belongs to the account or to another user; what happened and when, without a name; the IDs of the deleted API keys and applications; and a hash, by which a restored backup is erased again.',
  operatorEraseOutside:
    'First close the account or user in your own service. Copies outside, such as exports, logs and backups, are not erased.',
  operatorEraseFinal: 'This cannot be undone.',
  operatorEraseTypeAccount: 'To confirm, type the account ID: {name}',
  operatorEraseTypeUser: 'To confirm, type the user ID: {name}',
  doneOperatorErased: 'Everything is erased. The activity keeps an entry without the name.',

  // The texts of signing keys, health and the whole audit trail, for operators.
  operatorReady: 'Tokens can be issued and checked.',
  operatorNotReady: 'Tokens cannot be issued now.',
  operatorHealthTitle: 'Health',
  operatorHealthCount: '{result}: {number} of {total} checks',
  operatorHealthCheck: 'Check',
  operatorHealthResult: 'Result',
  operatorHealthFound: 'Finding and remedy',
  operatorHealthRemedy: 'What to do:',
  operatorHealthExact: 'Exact message',
  operatorHealthPass: 'OK',
  operatorHealthWarn: 'Warning',
  operatorHealthFail: 'Failed',
  operatorHealthUnknown: 'Unknown',
  operatorHealthIntro: 'The checks of this process. Other processes may answer differently.',

  operatorKeysTitle: 'Signing keys',
  operatorKeysIntro:
    'Tokens are signed with these keys. ES256 signs access tokens, and RS256 signs ID tokens. Keys replace each other by themselves.',
  operatorKeysHost: 'The host manages the keys. They are replaced in its configuration.',
  operatorNextRotation: 'The next rotation is on {time} ({ago}).',
  operatorKeysOf: 'Keys of {alg}',
  operatorKey: 'Key',
  operatorKeyUntil: 'Until',
  operatorKeyNext: 'Signs next',
  operatorKeyCurrent: 'Signs now',
  operatorKeyPrevious: 'Checks older tokens',
  operatorKeyRetired: 'Retired',
  operatorKeyRevoked: 'Revoked',
  operatorKeyRevoke: 'Revoke',
  operatorRotateTitle: 'Rotate the keys now',
  operatorRotate: 'Rotate now',
  operatorRotateText:
    'The next keys sign from now on, and new ones are made. Tokens stay valid. Wait an hour before you rotate again, so that every API knows the keys.',
  operatorKeyRevokeTitle: 'Revoke this signing key?',
  operatorKeyRevokeText:
    'Do this if the private key may have leaked. All tokens that the key has signed are rejected at once, in every API. Programs get new tokens with their secrets and refresh tokens by themselves.',
  operatorKeyRevokeCurrent: 'This key signs now. The next key takes over at once.',
  operatorKeyRevokeNotNeeded:
    'For a regular change of keys, rotate them instead: then all tokens stay valid.',
  operatorKeyRevokeButton: 'Revoke the key',
  doneOperatorRotated: 'The next keys sign now. Tokens from before stay valid.',
  doneOperatorKeyRevoked: 'The key is revoked, and all tokens that it has signed are rejected.',

  // The texts of applications that identify themselves by a client metadata document, for operators.
  documentsTitle: 'Client documents',
  documentsIntro:
    'No developer registered these applications here: each describes itself in a document on its own host, and people have approved it. Only the host is proven.',
  documentsOf: 'Documents of {host}',
  documentsNone: 'No person has approved such an application.',
  documentsNoneOfHost: 'No person has approved an application of this host.',
  documentsCallsItself: 'Calls itself “{name}”',
  documentsVerifiedName: '“{name}”, a verified name',
  documentsApprovedBy: 'Approved by',
  documentsUsers: { one: '{count} person', other: '{count} people' } as PageText,
  documentsManyUsers: '{number} people or more',
  documentsMethod: 'Authenticates with',
  documentsMethodNone: 'nothing: it is public, without a secret or key',
  documentsMethodKey: 'its private key',
  documentsRedirects: { one: '{count} redirect URI', other: '{count} redirect URIs' } as PageText,
  documentsFetched: 'Last fetched',
  documentsProblem: 'Problem at the last fetch',
  documentsProblemText: 'The document {problem}',
  documentsBlocked: 'Blocked',
  documentsNoPolicy: 'Not allowed any more',
  documentsNoPolicyText:
    'No entry of the option clientDocuments covers this document any more, so the application gets no tokens.',
  documentsActivity: 'Show its activity',
  documentsBlock: 'Block this host',
  documentsBlockTitle: 'Block {host}?',
  documentsBlockText:
    'All tokens of the applications of this host are rejected at once, and none of them gets a new token.',
  documentsBlockConnections:
    'Their connections with people are deleted. After you unblock the host, people must allow the applications again.',
  documentsBlockSubdomains:
    'Only this exact host is blocked. Subdomains, and other ports, are hosts of their own.',
  documentsBlockOther: 'Block another host',
  documentsHostLabel: 'Host',
  documentsHostHint:
    'Such as claude.ai, or example.com:8443. You can block a host before an application of it appears here.',
  documentsBlockNext: 'Continue',
  documentsBlockedTitle: 'Blocked hosts',
  documentsBlockedNone: 'No host is blocked.',
  documentsBlockedBy: 'Blocked by',
  documentsClearing: 'Connections are being deleted',
  documentsUnblock: 'Unblock',
  documentsUnblockBusy:
    '{host} cannot be unblocked yet: its connections are still being deleted. Wait a moment, then try again.',
  doneHostBlocked: 'The host is blocked, and all tokens of its applications are rejected.',
  doneHostUnblocked: 'The host is unblocked. People must allow its applications again.',

  operatorAuditTitle: 'Audit trail',
  operatorAuditBy: 'Filter by',
  operatorAuditAccount: 'account',
  operatorAuditClient: 'client',
  operatorAuditHost: 'host of client documents',
  operatorAuditActor: 'who did it',
  operatorAuditValue: 'Exact ID',

  inspectorIntro:
    'Paste an access token to see whether it works, why not, and what it may do. Or paste a client secret that you found somewhere, to see to which API key or application it belongs. You can inspect the tokens and secrets of your own API keys and applications.',
  inspectorIntroOperator:
    'Paste an access token to see whether it works, why not, and what it may do. Or paste a client secret, to see to which API key or application it belongs. As an operator you can inspect every token and secret of this service.',
  inspectorField: 'Access token or client secret',
  inspectorHint:
    'A token is the text after “Bearer” in the Authorization header. The text is checked here and neither stored nor logged.',
  inspectorKeyHint: 'If a private key leaked, paste it here too.',
  inspectorButton: 'Inspect',
  inspectorAnother: 'Inspect another token or secret',

  inspectorEmpty: 'Paste a token or a secret first.',
  inspectorTooLong:
    'This text is too long for an access token. Access tokens have at most 16,384 characters.',
  inspectorEncrypted: 'This token is encrypted. Access tokens of this service are signed, and not encrypted.',
  inspectorNotJwt:
    'This is not an access token. An access token is a JWT: three parts of letters, digits, “-” and “_”, with dots between them. It is not a client secret of your API keys and applications either. Refresh tokens and codes cannot be inspected.',
  inspectorForeign:
    'This is not a token of one of your API keys or applications, so nothing about it is shown.',

  inspectorSecretValid: 'This is a valid client secret of {name}.',
  inspectorSecretValidText:
    'If others may have seen it, report the leak: all secrets and tokens are revoked at once, and you create a new secret.',
  inspectorSecretOver: 'This was a client secret of {name}.',
  inspectorSecretOverText: 'It is not valid any more, and its leak was reported. There is nothing to do.',
  inspectorSecretLostText:
    'It is not valid any more, but tokens that were obtained with it may still work. If others may have seen it, report the leak: all secrets and tokens are revoked.',
  inspectorKeyValid: 'This is the private key of a public key of {name}.',
  inspectorKeyValidText:
    'Programs can authenticate with it. If others may have seen it, report the leak: all secrets, public keys and tokens are revoked at once.',
  inspectorKeyOver: 'This was a private key of {name}.',
  inspectorKeyUnknown: 'This is a private key, but it belongs to none of your API keys and applications.',

  inspectorValid: 'This token works.',
  inspectorValidText: 'It is valid until {time} ({ago}).',
  inspectorValidEnd:
    'To end it before it expires: disable the client, remove an operation, or send the token to the revocation endpoint {address}.',
  inspectorExpired: 'This token has expired.',
  inspectorExpiredText:
    'It was valid until {time} ({ago}). Its signature is right. Get a new token with the client secret or the refresh token.',
  inspectorRevoked: 'This token has been revoked.',
  inspectorRevokedToken: 'The token itself was revoked. Get a new one.',
  inspectorRevokedGrant:
    'The authorization behind it has ended: the user disconnected the application, or a code or refresh token was used twice. Ask the user to authorize the application again.',
  inspectorRevokedHost:
    'An operator blocked the host of the application. The application gets no more tokens until the host is unblocked.',
  inspectorRevokedKey:
    'The key that signed it was revoked, because it may have leaked. Get a new token; it is signed with another key.',
  inspectorRevokedDeleted: 'The API key or application was deleted.',
  inspectorRevokedExpired: 'Its API key or application has expired.',
  inspectorRevokedDisabled:
    'The API key or application is disabled. When it is enabled again, get a new token.',
  inspectorRevokedAccess:
    'A product or an operation was removed from the API key or application: {list}. All tokens from before were revoked. Get a new token.',
  inspectorRevokedClient:
    'All tokens of the API key or application from before were revoked: its access was changed, its tokens were revoked, or it was reported as leaked. Get a new token.',
  inspectorRevokedGrantScopes:
    'The user of the application may no longer use these operations: {list}. Refresh the token to get one without them.',
  inspectorRevokedScopes:
    'The account or user that owns the client may no longer use these operations: {list}. Get a new token without them.',
  inspectorRevokedOperation:
    'The service no longer has these operations, or has changed them: {list}. Get a new token.',
  inspectorNotAccessToken: 'This is not an access token.',
  inspectorNotAccessTokenText:
    'It is a JWT of another type, such as an ID token. APIs accept access tokens only (typ is at+jwt).',
  inspectorUnsigned: 'This token is not signed.',
  inspectorUnsignedText: 'Anyone can write such a token, so every API rejects it.',
  inspectorOtherIssuer: 'This token comes from another service.',
  inspectorOtherIssuerText: 'Its issuer (iss) is not {issuer}. This API rejects it.',
  inspectorOtherAudience: 'This token is for another API.',
  inspectorOtherAudienceText: 'Its audience (aud) is not {audience}. Request a token for this API.',
  inspectorWrongSignature: 'The signature of this token is wrong.',
  inspectorWrongSignatureText:
    'The token was changed, or it was not copied completely. Nothing that it says can be trusted.',
  inspectorUnknownKey: 'The signature of this token cannot be checked.',
  inspectorUnknownKeyText:
    'The service does not have the key that the token names (kid): the key was replaced long ago, or the token is not from this service. Nothing that it says can be trusted.',
  inspectorRejected: 'APIs reject this token.',
  inspectorMalformed: 'It is not a complete JWT. It may not have been copied completely.',
  inspectorNoKeyId: 'Its header does not name the key that signed it (kid).',
  inspectorWrongAlgorithm: 'It is not signed with ES256, the algorithm of this service.',
  inspectorNotValidYet: 'It is not valid yet (nbf). Use it later, or check the clock of its issuer.',
  inspectorMissingClaim: 'The claim {claim} is missing, or has a wrong type.',
  inspectorWrongClaim: 'The claim {claim} has a wrong value.',
  inspectorBoundToKey: 'It is bound to a key (cnf), and this API accepts no proof of that key.',

  inspectorFacts: 'The token',
  inspectorClient: 'Issued to',
  inspectorMode: 'Acts for',
  inspectorModeDirect: 'the account {account}, which owns the API key',
  inspectorModeDelegated: 'the user {account}, who authorized the application',
  inspectorIssued: 'Issued',
  inspectorKey: 'Signed with key',
  inspectorTokenId: 'Token ID',
  inspectorOperations: 'What it may do',
  inspectorOperationsFormer: 'What it names',
  inspectorNoOperations: 'The token carries no operation, so no call of the API is allowed.',
  inspectorBelow: 'All paths are below {address}.',
  inspectorCall: 'Call',
  operationWithoutRoute: 'no address of its own',
  inspectorOtherScopes: 'Other scopes',
  inspectorOtherScopesText: 'No operation of this service has these scopes: {list}',
  inspectorRaw: 'Header and claims',
  inspectorHeader: 'Header',
  inspectorClaims: 'Claims',
  inspectorUntrusted: 'Nothing of this is verified.',
}

export type TextName = keyof typeof english

/** Every text of the console. A text with the value `{count}` may have one form for each plural of its language. */
export type ConsoleTexts = { readonly [Name in TextName]: PageText }
