/** A text for people, or one text per locale (BCP 47): `{ en: 'Invoices', 'de-CH': 'Rechnungen' }`. */
export type LocalizedText = string | { readonly [locale: string]: string }

/** HTTP methods that an operation may have. HEAD is answered as its GET. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route below {base_url}, as `GET /invoices/:id`. */
export type RouteDefinition = `${HttpMethod} /${string}`

/** One API operation as the host describes it; its key in `operations` is its scope. */
export interface OperationDefinition<Level extends string = string> {
  /**
   * One or more routes below {base_url}. A segment that starts with `:` matches any one segment; where a
   * written segment and a parameter both fit, the written one wins, from left to right. Letter case and one
   * trailing slash make no difference, as in Koa's routers, except where another router would run another operation:
   * beside `/items/:id`, `/items/KEYS` is not `/items/keys` but 404, and `/items/` needs the scope of `/items/:id` as
   * well. Characters that are not allowed in an address are percent-encoded (RFC 3986 2.1), or written as they are
   * where they are not ASCII.
   */
  readonly route: RouteDefinition | readonly RouteDefinition[]
  /** What it does, for the person who is asked to allow it: "Read your invoices". */
  readonly title: LocalizedText
  /** A sentence more, for the same person. */
  readonly description?: LocalizedText | undefined
  /** The KYC level that a developer needs to ask for it on behalf of users; none if left out. */
  readonly kycLevel?: Level | undefined
}

/** A product as the host describes it: a named set of operations. Its key in `products` is its id. */
export interface ProductDefinition<Level extends string = string> {
  /** Its name, for developers and for the person who is asked to allow its operations. */
  readonly title: LocalizedText
  /** A sentence more, for the same people. */
  readonly description?: LocalizedText | undefined
  /** At least one, by scope. An operation that belongs to several products is written alike in each. */
  readonly operations: { readonly [scope: string]: OperationDefinition<Level> }
}

/** All products, by id: 1 to 64 letters, digits, `.`, `_`, `:` and `-`, the first a letter or digit. */
export interface ProductDefinitions<Level extends string = string> {
  readonly [product: string]: ProductDefinition<Level>
}

/** Where the products come from: themselves, or a function that loads them from the host's database. */
export type ProductSource = ProductDefinitions | (() => ProductDefinitions | Promise<ProductDefinitions>)
