export {
  assetUrl,
  assetUrlLifeMs,
  isVideoVariant,
  readAssetTicket,
  type AssetTicket,
  type VideoVariant,
} from './asset-url.ts'
export { authenticate, isRemembered, type SignedIn } from './authenticate.ts'
export { blobTicketHeader, blobTicketWindowMs, readBlobTicket, signBlobTicket, type BlobTicket } from './blob-ticket.ts'
export { CallerCache, type KnownCaller } from './caller-cache.ts'
export { callerFrom, callerHeader, decodeCaller, encodeCaller, toCallerMessage, type Caller } from './caller.ts'
export { capabilities, mayStartDm, type CapabilityGrant } from './capabilities.ts'
export { credentialDigest, credentialDigests, type CredentialDigests } from './credential-digest.ts'
export { explain, type Explanation, type TraceEntry } from './explain.ts'
export { forwardedHeaders, isForwardedByGateway } from './forwarded-address.ts'
export {
  groupPermissions,
  isEffectiveMember,
  roomPermissions,
  roomScope,
  viewerPermissions,
  type Grant,
  type RoomFacts,
} from './grants.ts'
export { HeldCredentials } from './held-credentials.ts'
export { internalPath } from './internal-path.ts'
export { isLoopbackHost } from './loopback.ts'
export {
  effectiveAt,
  inheritedAt,
  storedAt,
  storedDecisions,
  type Decisions,
  type Holder,
  type StoredDecision,
} from './matrix.ts'
export {
  appliesAt,
  isPermission,
  permissions,
  type Permission,
  type PermissionInfo,
  type ScopeKind,
} from './permissions.ts'
export { applyDelta, isNext, Policy, policyFrom } from './policy.ts'
export { isOwner, may, resolve, serverScope, type Outcome, type Scope, type Subject } from './resolve.ts'
export {
  defaultDecisions,
  defaultPolicy,
  everyoneRoleId,
  ownerRoleId,
  systemRoles,
  type DefaultDecision,
  type SystemRole,
} from './roles.ts'
export {
  cookieSecrets,
  digestsIn,
  presentedCredentials,
  type CredentialSecrets,
  type Presented,
  type ReadHeader,
} from './presented.ts'
export {
  isImageSize,
  readServerImageParams,
  serverImageFits,
  serverImageUrl,
  type ServerImageFit,
  type ServerImageSize,
} from './server-image-url.ts'
export { secretDigest, secretDigests, type SecretKeys } from './secret-digest.ts'
export { issuerOf } from './issuer.ts'
export { hostHandle, sessionCookieName, signSessionCookie, verifySessionCookie } from './session-cookie.ts'
export { readCookies, readSiteCookies, siteCookieName } from './site-cookie.ts'
export { toVideoProcessing, type AddressOf } from './video-processing.ts'
