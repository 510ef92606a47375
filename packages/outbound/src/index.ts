export {
  AddressRefused,
  assertAllowedHost,
  guardedLookup,
  type Address,
  type IsAllowed,
  type Network,
  type Resolve,
} from './guarded-lookup.ts'
export { inNetworks } from './networks.ts'
export { NameResolver, ResolverBusy, type ResolverOptions } from './name-resolver.ts'
export { isPublicAddress, publicExcept } from './public-address.ts'
