/** Every text of the pages, in English. */
export const english = {
  signInTitle: 'Sign in',
  /** The line below the heading. `{application}` is the name of the application that requests access. */
  signInIntro: 'to continue to {application}',
  identifierLabel: 'Email or user name',
  passwordLabel: 'Password',
  signInButton: 'Sign in',
  /** The page shows this text whether the account exists or not. */
  signInFailed: 'That email, user name or password is not right. Check them and try again.',
  signInIncomplete: 'Enter your email or user name and your password.',
  signInTooOften: 'Too many attempts. Wait a few minutes, then try again.',

  /** Heading of the consent page. `{service}` is the name of the host's service. */
  consentTitle: '{application} wants access to your {service} account',
  consentDeveloper: 'by {developer}',
  /** Shown for an application with a metadata document: `{application}` is then the host of the document. */
  consentCallsItself: 'It calls itself “{name}”. {service} has not checked this name.',
  consentVerifiedName: '{name}, verified by {service}',
  consentChanged: 'This application has changed since you last decided about it.',
  opensNewTab: '(opens in a new tab)',
  consentAccount: 'Signed in as {account}',
  switchAccountButton: 'Use another account',
  /** Shown if the request is for another resource than the API. `{resource}` is the title of that resource. */
  consentResource: 'The access is to {resource}.',
  consentIntro: 'Choose what {application} may do:',
  consentAboutYou: 'About you',
  /** Title of the group of operations that are in none of the application's products. */
  consentOther: 'Other',
  /**
   * Buttons that tick or untick all entries of a group. Screen readers read the title of the group after each button.
   */
  consentSelectAll: 'All',
  consentSelectNone: 'None',
  consentGrantedBefore: 'Allowed before',
  consentDeniedBefore: 'Denied before',
  consentAlwaysIncluded: 'Always included',
  consentSensitive: 'Sensitive',
  consentSensitiveHint: 'A mistake here may be costly. Allow it only if you trust {application}.',
  consentNothingChosen: 'Nothing is ticked. Tick at least one entry, or deny access.',
  consentTooManyClients: 'You have connected too many new applications. Deny access to this application.',
  /** `{duration}` is a time in words, such as “30 days”. */
  consentDuration: 'Access ends if {application} does not use it for {duration}.',
  /** Shown if the host named its page of connected applications. `{page}` is the link to that page. */
  consentManage: 'You can disconnect {application} later under {page}.',
  consentManagePage: 'Connected applications',
  /** `{address}` is the origin to which the browser goes after the decision. */
  consentReturn: 'You will be sent back to {address}.',
  consentReturnElsewhere: 'You will be sent to {address}, which is another host than {application}.',
  /** Shown for a program on the computer of the person. `{address}` is its loopback address. */
  consentReturnProgram:
    'A program on this computer gets access ({address}). Allow it only if you have just started this program yourself.',
  /** Shown for an installed app. `{address}` is the private scheme of its addresses. */
  consentReturnApp:
    'The app on this device that opens {address} gets access. Allow it only if you have just started {application} yourself.',
  consentPrivacy: 'Privacy policy of {application}',
  consentTerms: 'Terms of {application}',
  /** Label before the title of a preview of the consent page, which decides nothing. */
  previewLabel: 'Preview',
  approveButton: 'Allow',
  denyButton: 'Deny',

  /** The data that the OpenID Connect scopes disclose (OpenID Connect Core 5.4). */
  scopeOpenid: 'Know who you are',
  scopeProfile: 'See your profile, such as your name and picture',
  scopeEmail: 'See your email address',
  scopeAddress: 'See your postal address',
  scopePhone: 'See your phone number',
  scopeOfflineAccess: 'Keep access while you are away',
  /** Shown for a scope that is neither an operation nor one of the scopes above. */
  scopeOther: 'See your data “{scope}”',

  signOutTitle: 'Sign out of {service}?',
  signOutIntro: 'You asked to be signed out. Applications keep the access that you gave them.',
  signOutButton: 'Sign out',
  staySignedInButton: 'Stay signed in',
  signedOutTitle: 'You are signed out',
  signedOutIntro: 'You can close this page.',

  /** Shown for a moment between two pages. */
  continueTitle: 'One moment',
  continueIntro: 'You are being sent on.',
  continueLink: 'Continue',
  connectedTitle: 'You are connected',

  /** Heading of the page at the address of the issuer, for a person who opens it in a browser. */
  issuerTitle: 'Authorization server of {service}',
  issuerIntro:
    'Applications use this address to get access to {service} for their users. There is nothing to do here.',
  issuerDiscovery: 'Developers find all endpoints in the discovery document:',

  errorTitle: 'This did not work',
  errorHint: 'Go back to the application that you came from and start again.',
  /** Opens the code and the description of an error. The description is English. */
  errorDetails: 'For developers',
  /** Label before the code of an error: “Error: invalid_request”. */
  errorCodeLabel: 'Error',
  errorExpired: 'This page has expired, or belongs to another browser.',
  errorForm: 'The form could not be checked, so nothing was done.',
  errorBody: 'The form could not be read, so nothing was done.',
  errorMethod: 'This address cannot be used in that way.',
  errorNoSignIn: 'Signing in is not set up here.',
  /** `{application}` is the host of an application that the person has not approved. */
  errorOfClient: '{application} sent you here with a request that cannot be fulfilled.',
  /** `{address}` is a link to the same page at the host of the issuer. */
  errorOtherHost: 'This does not work at this address. Continue at {address}.',
  errorNotNow: 'This is not possible at the moment. Wait a few minutes.',
  errorNotFound: 'There is nothing at this address.',
}

/** Every text of the pages. Values replace the names in braces, such as `{application}`. */
export type Texts = { readonly [Name in keyof typeof english]: string }
