/** A text for people, or one text per locale (BCP 47): `{ en: 'Invoices', 'de-CH': 'Rechnungen' }`. */
export type LocalizedText = string | { readonly [locale: string]: string }

/** HTTP methods of an operation. HEAD is handled as GET. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route below the address of the API, such as `GET /invoices/:id`. */
export type RouteDefinition = `${HttpMethod} /${string}`

/** One API operation as the host describes it; its key in `operations` is its scope. */
export interface OperationDefinition<Level extends string = string> {
  /**
   * One or more routes below the address of the API ({base_url}). A segment that starts with `:` matches any one
   * segment. Segments are compared from left to right. If a literal segment and a parameter both match, the literal
   * wins.
   *
   * As in Koa's routers, letter case and one trailing slash make no difference, unless different routers would then run
   * different operations for a request. For example, let the routes be `/items`, `/items/keys` and `/items/:id`. The
   * path `/items/KEYS` then gets 404, and the path `/items/` needs both the scope of `/items` and the scope of
   * `/items/:id`.
   *
   * Characters that are not allowed in an address are percent-encoded (RFC 3986 2.1). Characters outside
   * ASCII may also be written literally.
   *
   * An operation may have no route, if something else than a method and a path names it, such as the name of a tool
   * of an MCP server. It is granted, listed and shown for consent as every other operation. @default no request matches
   */
  readonly route?: RouteDefinition | readonly RouteDefinition[] | undefined
  /** What the operation does, for the person who is asked for consent: "Read your invoices". */
  readonly title: LocalizedText
  /** A longer description for the person who is asked for consent. */
  readonly description?: LocalizedText | undefined
  /**
   * The KYC level that a developer needs to request the operation on behalf of users. If the level is
   * omitted, no level is needed.
   */
  readonly kycLevel?: Level | undefined
  /**
   * Whether a mistake with the operation would be costly, such as a payment. The consent page marks the operation as
   * sensitive. The mark changes no access. @default false
   */
  readonly sensitive?: boolean | undefined
}

/** A product as the host describes it: a named set of operations. Its key in `products` is its id. */
export interface ProductDefinition<Level extends string = string> {
  /** The product's name, for developers and for the person who is asked for consent. */
  readonly title: LocalizedText
  /** A longer description for developers and for the person who is asked for consent. */
  readonly description?: LocalizedText | undefined
  /** At least one operation, by scope. Products that share an operation must define it in the same way. */
  readonly operations: { readonly [scope: string]: OperationDefinition<Level> }
}

/** All products, by id. An id is 1 to 64 letters, digits, `.`, `_`, `:` or `-`, and starts with a letter or digit. */
export interface ProductDefinitions<Level extends string = string> {
  readonly [product: string]: ProductDefinition<Level>
}

/** The products themselves, or a function that loads them from the host's database. */
export type ProductSource = ProductDefinitions | (() => ProductDefinitions | Promise<ProductDefinitions>)
