/** A text for people, or one text per locale: `{ en: 'Invoices', 'de-CH': 'Rechnungen' }`. */
export type LocalizedText = string | { readonly [locale: string]: string }

/** HTTP methods that an operation may have. HEAD is answered as its GET. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A route below {base_url}, as `GET /invoices/:id`. */
export type RouteDefinition = `${HttpMethod} /${string}`

/** One API operation as the host describes it; its key in `operations` is its scope. */
export interface OperationDefinition<Level extends string = string> {
  /** One or more routes below {base_url}; a segment that starts with `:` matches any one segment. */
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
  readonly title: LocalizedText
  readonly description?: LocalizedText | undefined
  readonly operations: { readonly [scope: string]: OperationDefinition<Level> }
}

/** All products, by id. */
export interface ProductDefinitions<Level extends string = string> {
  readonly [product: string]: ProductDefinition<Level>
}
