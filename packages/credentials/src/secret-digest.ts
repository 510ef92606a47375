import { createHmac } from 'node:crypto'

/** `core.secret_key`, and the one before it while a rotation lasts. */
export type SecretKeys = { secretKey: string; previousSecretKey?: string | undefined }

/** What a secret is for, in words that tell it from every other purpose, and the secret itself. */
export type SecretWithPurpose = readonly [...purpose: [string, ...string[]], secret: string]

/** What is stored instead of a secret: 32 bytes, HMAC-SHA256 under the present key of all parts with a NUL between them. */
export const secretDigest = ({ secretKey }: Pick<SecretKeys, 'secretKey'>, ...parts: SecretWithPurpose): Buffer =>
  digest(secretKey, parts)

/** What may be stored of a secret, to look it up: under the present key, then under the one before if there is one. */
export const secretDigests = (keys: SecretKeys, ...parts: SecretWithPurpose): [Buffer, ...Buffer[]] => [
  secretDigest(keys, ...parts),
  ...(keys.previousSecretKey === undefined ? [] : [digest(keys.previousSecretKey, parts)]),
]

const digest = (key: string, parts: SecretWithPurpose): Buffer =>
  createHmac('sha256', key).update(parts.join('\0')).digest()
