import { Mistake, Mistakes, type Field, type Given } from './field.ts'
import { bool, secret, str, url } from './kinds.ts'
import { readField } from './read-field.ts'

/** The media server of calls, as the operator configured it. */
export type LivekitSettings = {
  /** Address for clients and this server. */
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  /** Distinguishes the rooms of this server from those of others on the same media server. */
  readonly serverId: string | undefined
  /** Key pairs with which webhooks may be signed. */
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
  doc: 'address of the LiveKit server for clients and this server, such as wss://media.example.org',
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

/** The address of the media server for clients; undefined when calls are off. */
export const livekitAddressFields = (): { livekitUrl: Field<string | undefined> } => ({
  livekitUrl: several(address, [enabled, address], (given) => {
    const reader = new Reader(given)
    const isEnabled = reader.read(enabled)
    const at = isEnabled ? reader.required(address) : reader.read(address)
    reader.finish()
    return isEnabled ? at : undefined
  }),
})

/** All settings of the media server; undefined while calls are off. */
export const livekitFields = (): { livekit: Field<LivekitSettings | undefined> } => ({
  livekit: {
    ...several(
      { ...enabled, toml: 'livekit' },
      [enabled, address, apiKey, apiSecret, serverId, webhookApiKey, webhookApiSecret],
      readLivekit,
    ),
    shown: (value) => value && { ...(value as LivekitSettings), apiSecret: '***', webhookKeys: '***' },
  },
})

function readLivekit(given: Given): LivekitSettings | undefined {
  const reader = new Reader(given)
  const isEnabled = reader.read(enabled) ?? false
  const need = <T>(field: Field<T | undefined>) => (isEnabled ? reader.required(field) : reader.read(field))
  const [at, key, apiSecretGiven] = [need(address), need(apiKey), need(apiSecret)]
  const [id, webhookKey, webhookSecret] = [serverId, webhookApiKey, webhookApiSecret].map((one) => reader.read(one))
  if ((webhookKey === undefined) !== (webhookSecret === undefined))
    reader.mistakes.push(`${webhookApiKey.env[0]} and ${webhookApiSecret.env[0]}: give both or none`)
  reader.finish()
  if (!isEnabled || at === undefined || key === undefined || apiSecretGiven === undefined) return undefined
  const other =
    webhookKey === undefined || webhookSecret === undefined ? [] : [{ key: webhookKey, secret: webhookSecret }]
  return {
    url: at,
    ...{ apiKey: key, apiSecret: apiSecretGiven, serverId: id },
    webhookKeys: [{ key, secret: apiSecretGiven }, ...other],
  }
}

/** A field that is read from several settings. */
function several<T>(about: Field<unknown>, parts: readonly Field<unknown>[], read: (given: Given) => T): Field<T> {
  return {
    ...{ kind: 'settings', env: about.env, toml: about.toml, doc: about.doc },
    ...{ default: undefined, optional: true, secret: false, parts, read },
    parse: () => read({ env: {}, file: undefined }),
  }
}

/** Reads settings one after the other and collects their errors. */
class Reader {
  readonly mistakes: string[] = []
  readonly #given: Given

  constructor(given: Given) {
    this.#given = given
  }

  read<T>(field: Field<T>): T | undefined {
    try {
      return readField(field, this.#given)
    } catch (error) {
      if (!(error instanceof Mistake)) throw error
      this.mistakes.push(error.message)
      return undefined
    }
  }

  required<T>(field: Field<T | undefined>): T | undefined {
    const before = this.mistakes.length
    const value = this.read(field)
    if (value === undefined && this.mistakes.length === before)
      this.mistakes.push(`${field.env[0]}: is missing; livekit.enabled needs it (${field.doc})`)
    return value
  }

  finish(): void {
    if (this.mistakes.length > 0) throw new Mistakes(this.mistakes)
  }
}
