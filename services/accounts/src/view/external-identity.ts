import { create } from '@bufbuild/protobuf'
import {
  LinkedExternalIdentitySchema,
  ExternalIdentityProviderSchema,
  type ExternalIdentityProvider,
  type LinkedExternalIdentity,
} from '@parley/contracts/api'
import { ExternalIdentityFlowKind, PendingExternalIdentitySchema } from '@parley/contracts/auth'
import type { PendingExternalIdentity } from '@parley/contracts/auth'
import type { PendingFlow } from '../domain/pending-identity.ts'
import type { Provider } from '../domain/provider.ts'
import type { ExternalIdentity } from '../store/external-identities.ts'

/** `provider` is undefined if the operator has removed it; then only its id is known. */
export function toLinkedIdentity(
  { providerId, subjectHash }: ExternalIdentity,
  provider: Provider | undefined,
): LinkedExternalIdentity {
  const { id, type, label } = provider?.settings ?? { id: providerId, type: '', label: providerId }
  return create(LinkedExternalIdentitySchema, { providerId: id, providerType: type, providerLabel: label, subjectHash })
}

export function toIdentityProvider(
  { settings: { id, type, label } }: Provider,
  linked: ExternalIdentity | undefined,
): ExternalIdentityProvider {
  const loginUrl = `/auth/providers/${encodeURIComponent(id)}`
  return create(ExternalIdentityProviderSchema, {
    provider: { id, type, label, loginUrl },
    linkUrl: `${loginUrl}?intent=link`,
    linked: linked !== undefined,
    linkedIdentitySubjectHash: linked?.subjectHash ?? '',
  })
}

export function toPendingIdentity({ purpose, userId, provider, identity }: PendingFlow): PendingExternalIdentity {
  const { id, type, label } = provider.settings
  const { verifiedEmail, loginHint, displayNameHint, redirectPath } = identity
  const isLink = purpose === 'external_link'
  return create(PendingExternalIdentitySchema, {
    kind: isLink ? ExternalIdentityFlowKind.LINK_ACCOUNT : ExternalIdentityFlowKind.CREATE_ACCOUNT,
    providerId: id,
    providerType: type,
    providerLabel: label,
    verifiedEmail,
    loginHint,
    displayNameHint,
    boundUserId: userId,
    redirectPath,
  })
}
