import { createHmac } from 'node:crypto'

/** `core.secret_key`, and the previous key during a rotation. */
export type SecretKeys = { secretKey: string; previousSecretKey?: string | undefined }

/** A secret, preceded by the words of its purpose: the same secret has another digest for another purpose. */
export type SecretWithPurpose = readonly [...purpose: [string, ...string[]], secret: string]

/** HMAC-SHA256 (32 bytes) with the current key over all parts, which are separated by NUL. */
export const secretDigest = ({ secretKey }: Pick<SecretKeys, 'secretKey'>, ...parts: SecretWithPurpose): Buffer =>
  digest(secretKey, parts)

/** Digests with the current key and, if there is one, with the previous key. */
export const secretDigests = (keys: SecretKeys, ...parts: SecretWithPurpose): [Buffer, ...Buffer[]] => [
  secretDigest(keys, ...parts),
  ...(keys.previousSecretKey === undefined ? [] : [digest(keys.previousSecretKey, parts)]),
]

const digest = (key: string, parts: SecretWithPurpose): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest()
