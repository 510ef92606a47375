import { createECDH } from 'node:crypto'
import { combinedField, type FieldReader } from './combined-field.ts'
import { type Field } from './field.ts'
import { publicUrlField } from './groups.ts'
import { bool, secret, str } from './kinds.ts'

export type PushSettings = {
  /** Uncompressed point on P-256, base64url: browsers subscribe with it. */
  readonly publicKey: string
  /** base64url. */
  readonly privateKey: string
  /** mailto: or https: address at which push services reach the operator of this server. */
  readonly subject: string
  /** Base URL of links in notifications. */
  readonly publicUrl: string
}

const enabled = bool('PARLEY_PUSH_ENABLED', {
  toml: 'push.enabled',
  default: false,
  doc: 'whether browsers are offered Web Push',
})
const publicKey = str('PARLEY_PUSH_VAPID_PUBLIC_KEY', {
  toml: 'push.vapid_public_key',
  optional: true,
  doc: 'public VAPID key that browsers subscribe with, base64url; required if push is enabled',
})
const privateKey = secret('PARLEY_PUSH_VAPID_PRIVATE_KEY', {
  toml: 'push.vapid_private_key',
  optional: true,
  doc: 'private key that belongs to push.vapid_public_key, base64url; required if push is enabled',
})
const subject = str('PARLEY_PUSH_VAPID_SUBJECT', {
  toml: 'push.vapid_subject',
  optional: true,
  doc: 'mailto: or https: address at which push services reach the operator of this server; required if push is enabled',
})

const { publicUrl } = publicUrlField()

/**
 * For the sender of pushes: the keys that sign them, and the base URL of the links in them. Undefined while push is
 * off.
 */
export const pushFields = () => ({
  push: ifEnabled([enabled, publicKey, privateKey, subject, { ...publicUrl, optional: true }], readSettings),
})

/** For deployables that pass the key to browsers; undefined while push is off. */
export const pushOfferFields = () => ({
  push: ifEnabled<Pick<PushSettings, 'publicKey'>>([enabled, publicKey], (reader) => ({
    publicKey: readRequired(reader, publicKey, problemOfPublicKey),
  })),
})

function readSettings(reader: FieldReader): PushSettings {
  const keys = {
    publicKey: readRequired(reader, publicKey, problemOfPublicKey),
    privateKey: readRequired(reader, privateKey, problemOfPrivateKey),
  }
  if (reader.problems.length === 0 && publicKeyOf(keys.privateKey) !== keys.publicKey)
    reader.problems.push(`${nameOf(privateKey)}: does not belong to ${nameOf(publicKey)}`)
  return {
    ...keys,
    subject: readRequired(reader, subject, problemOfSubject),
    publicUrl: readRequired(reader, { ...publicUrl, optional: true }, () => undefined),
  }
}

/** Both keys are base64url. */
export function newVapidKeys(): { publicKey: string; privateKey: string } {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys('base64url')
  // Node.js omits leading zeros of the number.
  const privateKey = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
  return { publicKey, privateKey }
}

/** Both keys are base64url. */
export function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey, 'base64url')
  return pair.getPublicKey('base64url')
}

const base64url = /^[\w-]+$/

function problemOfPublicKey(key: string): string | undefined {
  const isPoint = base64url.test(key) && Buffer.from(key, 'base64url').length === 65 && key.startsWith('B')
  return isPoint ? undefined : 'is not a public VAPID key: 65 bytes as base64url without padding, beginning with B'
}

function problemOfPrivateKey(key: string): string | undefined {
  const wrong = 'the given value is not a private VAPID key: 32 bytes as base64url without padding'
  if (!base64url.test(key) || Buffer.from(key, 'base64url').length !== 32) return wrong
  try {
    publicKeyOf(key)
  } catch {
    return wrong
  }
}

const problemOfSubject = (address: string): string | undefined =>
  /^mailto:[^\s@]+@[^\s@]+$/.test(address) || (address.startsWith('https://') && URL.canParse(address))
    ? undefined
    : 'is neither a mailto: nor an https: address'

function ifEnabled<T>(parts: readonly Field<unknown>[], read: (reader: FieldReader) => T): Field<T | undefined> {
  const about = { env: [], toml: undefined, doc: 'Web Push' }
  return {
    ...combinedField(about, parts, (reader) => (reader.read(enabled) ? read(reader) : undefined)),
    shown: (value) => (hasPrivateKey(value) ? { ...value, privateKey: '***' } : value),
  }
}

const hasPrivateKey = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'privateKey' in value

/** Returns the value, or an empty string if there is none. Records a problem if it is missing or invalid. */
function readRequired(
  reader: FieldReader,
  field: Field<string | undefined>,
  problemOf: (value: string) => string | undefined,
): string {
  const missing = 'is missing: push.enabled is set'
  const value = reader.required(field, `${nameOf(field)}: ${missing}`)
  if (value === undefined) return ''
  const problem = value === '' ? missing : problemOf(value)
  if (problem !== undefined) reader.problems.push(`${nameOf(field)}: ${problem}`)
  return value
}

const nameOf = ({ env, toml }: Pick<Field<unknown>, 'env' | 'toml'>): string => `${env[0]} (${toml})`
