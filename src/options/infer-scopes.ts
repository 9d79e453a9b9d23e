import type { OperationDefinition, ProductDefinition, ProductSource } from '../catalog/definition.ts'
import type { GatehouseOptions } from './options.ts'

/**
 * If products are written as a literal, the union of their scopes: `'invoices:read' | 'invoices:create'`. For products
 * that a function loads, the type is `string`.
 */
export type ScopeOf<Products> = Products extends Loader
  ? string
  : {
      [Id in keyof Products]: Products[Id] extends { readonly operations: infer O } ? keyof O & string : never
    }[keyof Products]

/** If products are written as a literal, the union of their ids. If a function loads them, `string`. */
export type ProductOf<Products> = Products extends Loader ? string : keyof Products & string

/**
 * A type that rejects unknown keys (such as `titel`) and unknown KYC levels, which an inferred type parameter
 * would accept. Intersect this type with the type from which the products are inferred.
 */
export type CheckedProducts<Products, Level extends string = string> = Products extends Loader
  ? unknown
  : { readonly [Id in keyof Products]: CheckedProduct<Products[Id], Level> }

/** The options of `createGatehouse`, from which levels, products and scopes are inferred. */
export type CheckedOptions<Level extends string, Products extends ProductSource> = GatehouseOptions<
  Level,
  Products
> & { readonly products: CheckedProducts<Products, Level> }

type Loader = (...args: never) => unknown

type CheckedProduct<Product, Level extends string> = {
  readonly [Key in keyof Product]: Key extends 'operations'
    ? { readonly [Scope in keyof Product[Key]]: CheckedOperation<Product[Key][Scope], Level> }
    : Key extends keyof ProductDefinition
      ? unknown
      : UnknownKey<Key>
}

type CheckedOperation<Operation, Level extends string> = {
  readonly [Key in keyof Operation]: Key extends 'kycLevel'
    ? CheckedLevel<Exclude<Operation[Key], undefined>, Level>
    : Key extends keyof OperationDefinition
      ? unknown
      : UnknownKey<Key>
}

/** A level that is not a literal is checked at run time. */
type CheckedLevel<Asked, Level extends string> = string extends Asked
  ? unknown
  : [Asked] extends [Level]
    ? unknown
    : UnknownLevel<Level>

// No value has these properties; their names appear in the compiler's message. A plain `never` would make the
// whole operation `never`. The message would then point at the whole operation instead of the wrong key.
interface UnknownKey<Key> {
  readonly 'nothing reads this key': Key
}
interface UnknownLevel<Level> {
  readonly 'this KYC level is not in kycLevels': Level
}
