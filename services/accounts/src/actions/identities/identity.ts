import { createHash } from 'node:crypto'
import type { Provider } from '../../domain/provider.ts'
import type { ExternalIdentity } from '../../store/external-identities.ts'

/** Clients refer to an identity by this hex SHA-256. */
const subjectHash = ({ issuer, subject }: Pick<ExternalIdentity, 'issuer' | 'subject'>): string =>
  createHash('sha256').update(`${issuer}:${subject}`).digest('hex')

/**
 * Undefined if the operator has removed the provider. The issuer of an OAuth identity is the id of the provider. Of
 * several providers with the same issuer, the one through which the identity was linked is preferred.
 */
export function providerOf(
  providers: readonly Provider[],
  { issuer, providerId }: Pick<ExternalIdentity, 'issuer' | 'providerId'>,
): Provider | undefined {
  const candidates = providers.filter(({ settings: { id, type, issuerUrl } }) =>
    type === 'oidc' ? sameUrl(issuerUrl, issuer) : id === issuer,
  )
  return candidates.find(({ settings }) => settings.id === providerId) ?? candidates[0]
}

const sameUrl = (configured: string | undefined, issuer: string): boolean =>
  configured !== undefined && URL.canParse(issuer) && new URL(configured).href === new URL(issuer).href

export const newIdentity = (
  { issuer, subject, providerId }: Pick<ExternalIdentity, 'issuer' | 'subject' | 'providerId'>,
  userId: string,
  linkedAt: Date,
): ExternalIdentity => ({
  issuer,
  subject,
  subjectHash: subjectHash({ issuer, subject }),
  providerId,
  userId,
  linkedAt,
})
