export {
  AddressRefused,
  assertAllowedHost,
  guardedLookup,
  type IsAllowed,
  type Network,
  type Resolve,
} from './guarded-lookup.ts'
export { isPublicAddress } from './public-address.ts'
