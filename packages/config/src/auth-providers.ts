import { Mistakes, type Field, type Given } from './field.ts'
import { registrationFields } from './groups.ts'
import { bool, list, oneOf, secret, str, url } from './kinds.ts'
import { readField } from './read-field.ts'
import { byPlace, documentedColumns, readTables, type Row } from './tables.ts'

/** The supported types of sign-in providers. */
export const authProviderTypes = ['oidc', 'github', 'gitlab', 'google', 'discord'] as const

/** A kind of sign-in provider. */
export type AuthProviderType = (typeof authProviderTypes)[number]

/** A sign-in provider that the operator configured. */
export type AuthProvider = {
  /** Part of URLs and of stored links. */
  readonly id: string
  readonly type: AuthProviderType
  /** Text of the button. */
  readonly label: string
  readonly clientId: string
  /** Empty in services that do not read secrets. */
  readonly clientSecret: string
  /** Only for type `oidc`. */
  readonly issuerUrl: string | undefined
  /** Requested scopes; `openid` is always requested from an OpenID Connect provider. */
  readonly scopes: readonly string[]
  /** False: no e-mail address is requested, and none is accepted. */
  readonly requestEmail: boolean
  /** Whether an unlinked identity may create a new account. */
  readonly autoProvision: boolean
  /** Addresses of a provider's own instance, if it is not the public one; not for `oidc`, which uses its issuer. */
  readonly options: ProviderOptions
}

/**
 * Addresses of a provider's instance. A missing address is derived from the base, or else is that of the public
 * service.
 */
export type ProviderOptions = {
  readonly baseUrl: string | undefined
  readonly authorizeUrl: string | undefined
  readonly tokenUrl: string | undefined
  readonly apiUrl: string | undefined
  /** Only for `gitlab`: whether the address of a confirmed account counts as verified. */
  readonly confirmedIsVerified: boolean
}

const toml = 'auth.providers'

const columns = {
  id: str(byPlace, {
    pattern: /^(?!\.{1,2}$)[^\s\p{C}/?#]+$/u,
    max: 64,
    doc: 'stable name of the provider, used in URLs and in stored links to accounts',
  }),
  type: oneOf(byPlace, { values: authProviderTypes, doc: 'kind of provider' }),
  label: str(byPlace, { optional: true, max: 80, doc: 'text of the sign-in button; default: the id' }),
  client_id: str(byPlace, { min: 1, doc: 'id of this server at the provider' }),
  client_secret: secret(byPlace, { min: 1, doc: 'secret of this server at the provider' }),
  issuer_url: url(byPlace, {
    optional: true,
    pattern: /^https?:\/\//i,
    doc: 'URL of the issuer; required for oidc, not allowed for other types',
  }),
  scopes: list(byPlace, {
    optional: true,
    pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/,
    doc: 'scopes to request from the provider; default: those of its type',
  }),
  request_email: bool(byPlace, {
    default: true,
    doc: 'whether to request the e-mail address of the person; if false, none is accepted',
  }),
  auto_provision: bool(byPlace, {
    optional: true,
    doc: 'whether people without an account may create one by signing in; default: the value of auth.direct_registration',
  }),
  'provider_options.base_url': address('address of the provider, if it is not the public instance; not for oidc'),
  'provider_options.authorize_url': address(
    'address where browsers sign in, if it is not derived from provider_options.base_url',
  ),
  'provider_options.token_url': address(
    'address where codes are exchanged for tokens, if it is not derived from provider_options.base_url',
  ),
  'provider_options.api_url': address(
    'address where profiles are read, if it is not derived from provider_options.base_url',
  ),
  'provider_options.confirmed_is_verified': bool(byPlace, {
    default: false,
    doc: 'only for gitlab: whether addresses of confirmed accounts count as verified',
  }),
}

/** Accepts any value and ignores it. */
const unread: Field<string> = { ...columns.client_secret, default: '', parse: () => '' }

/**
 * The sign-in providers, in the operator's order: repeated tables `[[auth.providers]]`, or the corresponding variables.
 * With `secrets: false`, for services that only list providers, client secrets are neither read nor required.
 */
export const authProviderFields = ({ secrets = true } = {}): { providers: Field<readonly AuthProvider[]> } => ({
  providers: {
    kind: 'tables',
    env: [],
    toml,
    doc: 'sign-in providers',
    default: undefined,
    optional: true,
    secret: false,
    parse: () => [],
    read: (given) => readProviders(given, secrets),
    shown: (value) => (value as readonly AuthProvider[]).map((provider) => ({ ...provider, clientSecret: '***' })),
    parts: documentedColumns(toml, columns).filter((field) => secrets || !field.secret),
  },
})

function readProviders(given: Given, secrets: boolean): readonly AuthProvider[] {
  const rows = readTables(toml, secrets ? columns : { ...columns, client_secret: unread }, given)
  const mistakes = [...rows.flatMap(mistakesOfRow), ...repeated(rows)]
  if (mistakes.length > 0) throw new Mistakes(mistakes)
  if (rows.length === 0) return []
  const registration = readField(registrationFields().directRegistration, given)
  return rows.map(({ values }) => ({
    id: values.id,
    type: values.type,
    label: values.label ?? values.id,
    clientId: values.client_id,
    clientSecret: values.client_secret,
    issuerUrl: values.issuer_url,
    scopes: scopesOf(values),
    requestEmail: values.request_email,
    autoProvision: values.auto_provision ?? registration,
    options: {
      baseUrl: values['provider_options.base_url'],
      authorizeUrl: values['provider_options.authorize_url'],
      tokenUrl: values['provider_options.token_url'],
      apiUrl: values['provider_options.api_url'],
      confirmedIsVerified: values['provider_options.confirmed_is_verified'],
    },
  }))
}

type ProviderRow = Row<typeof columns>

const defaultScopes: Record<AuthProviderType, { profile: readonly string[]; email: readonly string[] }> = {
  oidc: { profile: ['openid', 'profile'], email: ['email'] },
  github: { profile: ['read:user'], email: ['user:email'] },
  gitlab: { profile: ['read_user'], email: [] },
  google: { profile: ['openid', 'profile'], email: ['email'] },
  discord: { profile: ['identify'], email: ['email'] },
}

function scopesOf({ type, scopes, request_email }: ProviderRow['values']): string[] {
  const { profile, email } = defaultScopes[type]
  const wanted = scopes ?? [...profile, ...(request_email ? email : [])]
  const always = profile.filter((scope) => scope === 'openid')
  return [...new Set([...always, ...wanted])]
}

function mistakesOfRow(row: ProviderRow): string[] {
  const { values, name } = row
  const confirmed = 'provider_options.confirmed_is_verified'
  const foreign = values[confirmed] && values.type !== 'gitlab'
  return [
    ...(foreign ? [`${name(confirmed)}: only providers of type gitlab confirm accounts`] : []),
    ...mistakesOfAddresses(row),
  ]
}

function mistakesOfAddresses({ values, name }: ProviderRow): string[] {
  if (values.type !== 'oidc') {
    if (values.issuer_url === undefined) return []
    return [`${name('issuer_url')}: only providers of type oidc have an issuer (this one is ${values.type})`]
  }
  const options = optionKeys.filter((key) => values[key] !== undefined)
  return [
    ...options.map((key) => `${name(key)}: a provider of type oidc gets its addresses from its issuer`),
    ...mistakesOfIssuer(values.issuer_url).map((mistake) => `${name('issuer_url')}: ${mistake}`),
  ]
}

function mistakesOfIssuer(issuer: string | undefined): string[] {
  if (issuer === undefined) return ['is missing; a provider of type oidc needs its issuer']
  if (issuer.includes('/.well-known/')) return ['must be the issuer, not the address of its discovery document']
  const { username, password, search, hash } = new URL(issuer)
  return username || password || search || hash ? ['must have no user, no query and no fragment'] : []
}

const optionKeys = [
  'provider_options.base_url',
  'provider_options.authorize_url',
  'provider_options.token_url',
  'provider_options.api_url',
] as const

function repeated(rows: readonly ProviderRow[]): string[] {
  const ids = rows.map(({ values }) => values.id)
  return rows
    .filter(({ values }, n) => ids.indexOf(values.id) < n)
    .map(({ values, name }) => `${name('id')}: ${JSON.stringify(values.id)} is the id of another provider already`)
}

function address(doc: string) {
  return url(byPlace, { optional: true, pattern: /^https?:\/\//i, doc })
}
