import { secretDigest, secretDigests, type SecretKeys } from './secret-digest.ts'

/** What a credential may be stored by: the digest to keep it by, and that under the secret key before the last rotation. */
export type CredentialDigests = { digest: Buffer; previous: Buffer | undefined }

/** What is stored and looked up instead of a bearer token or cookie handle. */
export const credentialDigest = (secretKey: string, token: string): Buffer =>
  secretDigest({ secretKey }, 'credential', token)

/** The same under every key that there is. */
export function credentialDigests(keys: SecretKeys, token: string): CredentialDigests {
  const [digest, previous] = secretDigests(keys, 'credential', token)
  return { digest, previous }
}
