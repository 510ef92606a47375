import { secretDigest, secretDigests, type SecretKeys } from './secret-digest.ts'

export type CredentialDigests = { digest: Buffer; previous: Buffer | undefined }

/** The digest under which a bearer token or cookie handle is stored and looked up. */
export const credentialDigest = (secretKey: string, token: string): Buffer =>
  secretDigest({ secretKey }, 'credential', token)

export function credentialDigests(keys: SecretKeys, token: string): CredentialDigests {
  const [digest, previous] = secretDigests(keys, 'credential', token)
  return { digest, previous }
}
