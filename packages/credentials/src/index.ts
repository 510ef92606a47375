export { authenticate, isRemembered, type SignedIn } from './authenticate.ts'
export { CallerCache, type KnownCaller } from './caller-cache.ts'
export { callerFrom, callerHeader, decodeCaller, encodeCaller, toCallerMessage, type Caller } from './caller.ts'
export { credentialDigest, credentialDigests, type CredentialDigests } from './credential-digest.ts'
export { forwardedHeaders, isForwardedByGateway } from './forwarded-address.ts'
export { RememberedCredentials } from './remembered-credentials.ts'
export { internalPath } from './internal-path.ts'
export { isLoopbackHost } from './loopback.ts'
export {
  cookieSecrets,
  digestsIn,
  presentedCredentials,
  type CredentialSecrets,
  type Presented,
  type ReadHeader,
} from './presented.ts'
export { secretDigest, secretDigests, type SecretKeys } from './secret-digest.ts'
export { issuerOf } from './issuer.ts'
export { hostHandle, sessionCookieName, signSessionCookie, verifySessionCookie } from './session-cookie.ts'
export { readCookies, readSiteCookies, siteCookieName } from './site-cookie.ts'
