import { combinedField, type FieldReader } from './combined-field.ts'
import { type Field } from './field.ts'
import { bool, secret, str, url } from './kinds.ts'

export type LivekitSettings = {
  /** For clients and this server. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly serverId: string | undefined
  readonly webhookKeys: readonly { readonly key: string; readonly secret: string }[]
}

const enabled = bool('PARLEY_LIVEKIT_ENABLED', {
  toml: 'livekit.enabled',
  default: false,
  doc: 'whether calls are enabled; requires livekit.url, livekit.api_key and livekit.api_secret',
})
const address = url('PARLEY_LIVEKIT_URL', {
  toml: 'livekit.url',
  optional: true,
  pattern: /^(wss?|https?):\/\//,
  doc: 'URL of the LiveKit server, for clients and for this server, such as wss://media.example.org',
})
const apiKey = str('PARLEY_LIVEKIT_API_KEY', {
  toml: 'livekit.api_key',
  optional: true,
  min: 1,
  doc: 'API key of this server at the LiveKit server',
})
const apiSecret = secret('PARLEY_LIVEKIT_API_SECRET', {
  toml: 'livekit.api_secret',
  optional: true,
  min: 32,
  doc: 'secret of livekit.api_key, at least 32 characters',
})
const serverId = str('PARLEY_LIVEKIT_SERVER_ID', {
  toml: 'livekit.server_id',
  optional: true,
  pattern: /^[A-Za-z0-9_-]{1,64}$/,
  doc: 'name of this server, if several share one LiveKit server',
})
const webhookApiKey = str('PARLEY_LIVEKIT_WEBHOOK_API_KEY', {
  toml: 'livekit.webhook_api_key',
  optional: true,
  min: 1,
  doc: 'API key with which the LiveKit server signs webhooks, if it is not livekit.api_key',
})
const webhookApiSecret = secret('PARLEY_LIVEKIT_WEBHOOK_API_SECRET', {
  toml: 'livekit.webhook_api_secret',
  optional: true,
  min: 32,
  doc: 'secret of livekit.webhook_api_key, at least 32 characters',
})

/** Undefined when calls are off. */
export const livekitAddressFields = (): { livekitUrl: Field<string | undefined> } => ({
  livekitUrl: combinedField(address, [enabled, address], (reader) => {
    const isEnabled = reader.read(enabled) ?? false
    const url = readOrRequire(isEnabled, reader, address)
    return isEnabled ? url : undefined
  }),
})

/** Undefined while calls are off. */
export const livekitFields = (): { livekit: Field<LivekitSettings | undefined> } => ({
  livekit: {
    ...combinedField(
      { ...enabled, toml: 'livekit' },
      [enabled, address, apiKey, apiSecret, serverId, webhookApiKey, webhookApiSecret],
      readLivekit,
    ),
    shown: (value) => value && { ...(value as LivekitSettings), apiSecret: '***', webhookKeys: '***' },
  },
})

const readOrRequire = <T>(isEnabled: boolean, reader: FieldReader, field: Field<T | undefined>): T | undefined =>
  isEnabled
    ? reader.required(field, `${field.env[0]}: is missing; livekit.enabled needs it (${field.doc})`)
    : reader.read(field)

function readLivekit(reader: FieldReader): LivekitSettings | undefined {
  const isEnabled = reader.read(enabled) ?? false
  const [serverUrl, key, apiSecretGiven] = [address, apiKey, apiSecret].map((one) =>
    readOrRequire(isEnabled, reader, one),
  )
  const [id, webhookKey, webhookSecret] = [serverId, webhookApiKey, webhookApiSecret].map((one) => reader.read(one))
  if ((webhookKey === undefined) !== (webhookSecret === undefined))
    reader.problems.push(`${webhookApiKey.env[0]} and ${webhookApiSecret.env[0]}: set both or neither`)
  if (!isEnabled || serverUrl === undefined || key === undefined || apiSecretGiven === undefined) return undefined
  const other =
    webhookKey === undefined || webhookSecret === undefined ? [] : [{ key: webhookKey, secret: webhookSecret }]
  return {
    url: serverUrl,
    ...{ apiKey: key, apiSecret: apiSecretGiven, serverId: id },
    webhookKeys: [{ key, secret: apiSecretGiven }, ...other],
  }
}
