import { SettingErrors, type Field, type LoadedSources } from './field.ts'
import { registrationFields } from './groups.ts'
import { bool, list, oneOf, secret, str, url } from './kinds.ts'
import { readField } from './read-field.ts'
import { envNamesPerRow, documentedColumns, readTables, type Row } from './tables.ts'

export const authProviderTypes = ['oidc', 'github', 'gitlab', 'google', 'discord'] as const

export type AuthProviderType = (typeof authProviderTypes)[number]

export type AuthProvider = {
  /** Used in URLs and in the stored links between identities and accounts. */
  readonly id: string
  readonly type: AuthProviderType
  readonly label: string
  readonly clientId: string
  /** Empty in services that do not read secrets. */
  readonly clientSecret: string
  /** Only for type `oidc`. */
  readonly issuerUrl: string | undefined
  /** Requested scopes; `openid` is always requested from an OpenID Connect provider. */
  readonly scopes: readonly string[]
  /** Whether the e-mail address is requested. If not, none is accepted either. */
  readonly requestEmail: boolean
  /** Whether an unlinked identity may create a new account. */
  readonly autoProvision: boolean
  readonly options: ProviderOptions
}

/**
 * Options that depend on the type of the provider. The URLs are those of a self-hosted instance; they are not allowed
 * for `oidc`, whose URLs are discovered from its issuer. A URL that is not set is derived from `baseUrl`; without
 * `baseUrl`, the URL of the public service is used.
 */
export type ProviderOptions = {
  readonly baseUrl: string | undefined
  readonly authorizeUrl: string | undefined
  readonly tokenUrl: string | undefined
  readonly apiUrl: string | undefined
  /** Only for `gitlab`: whether the e-mail address of a confirmed account counts as verified. */
  readonly confirmedIsVerified: boolean
}

const toml = 'auth.providers'

const columns = {
  id: str(envNamesPerRow, {
    pattern: /^(?!\.{1,2}$)[^\s\p{C}/?#]+$/u,
    max: 64,
    doc: 'stable name of the provider, used in URLs and in the stored links between identities and accounts',
  }),
  type: oneOf(envNamesPerRow, { values: authProviderTypes, doc: 'kind of provider' }),
  label: str(envNamesPerRow, { optional: true, max: 80, doc: 'text of the sign-in button; default: the id' }),
  client_id: str(envNamesPerRow, { min: 1, doc: 'OAuth client ID, issued by the provider' }),
  client_secret: secret(envNamesPerRow, { min: 1, doc: 'OAuth client secret, issued by the provider' }),
  issuer_url: url(envNamesPerRow, {
    optional: true,
    pattern: /^https?:\/\//i,
    doc: 'URL of the issuer; required for oidc, not allowed for other types',
  }),
  scopes: list(envNamesPerRow, {
    optional: true,
    pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/,
    doc: 'scopes to request from the provider; default: those of its type',
  }),
  request_email: bool(envNamesPerRow, {
    default: true,
    doc: 'whether to request the e-mail address of the person; if false, none is accepted',
  }),
  auto_provision: bool(envNamesPerRow, {
    optional: true,
    doc: 'whether people without an account may create one by signing in; default: the value of auth.direct_registration',
  }),
  'provider_options.base_url': optionalUrl('base URL of the provider, if it is not the public instance; not for oidc'),
  'provider_options.authorize_url': optionalUrl(
    'URL of the authorization endpoint, if it is not derived from provider_options.base_url',
  ),
  'provider_options.token_url': optionalUrl(
    'URL of the token endpoint, if it is not derived from provider_options.base_url',
  ),
  'provider_options.api_url': optionalUrl(
    'base URL of the API for user profiles, if it is not derived from provider_options.base_url',
  ),
  'provider_options.confirmed_is_verified': bool(envNamesPerRow, {
    default: false,
    doc: 'only for gitlab: whether the e-mail address of a confirmed account counts as verified',
  }),
}

/** Accepts any value and ignores it. */
const ignored: Field<string> = { ...columns.client_secret, default: '', parse: () => '' }

/**
 * The sign-in providers, in the operator's order: an array of tables, `[[auth.providers]]`, or the corresponding
 * variables. With `secrets: false`, for services that only list providers, client secrets are neither read nor
 * required.
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
    read: (sources) => readProviders(sources, secrets),
    shown: (value) => (value as readonly AuthProvider[]).map((provider) => ({ ...provider, clientSecret: '***' })),
    parts: documentedColumns(toml, columns).filter((field) => secrets || !field.secret),
  },
})

function readProviders(sources: LoadedSources, secrets: boolean): readonly AuthProvider[] {
  const rows = readTables(toml, secrets ? columns : { ...columns, client_secret: ignored }, sources)
  const problems = [...rows.flatMap(problemsOfRow), ...problemsOfRepeatedIds(rows)]
  if (problems.length > 0) throw new SettingErrors(problems)
  if (rows.length === 0) return []
  const registration = readField(registrationFields().directRegistration, sources)
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

function problemsOfRow(row: ProviderRow): string[] {
  const { values, name } = row
  const confirmed = 'provider_options.confirmed_is_verified'
  const misplaced = values[confirmed] && values.type !== 'gitlab'
  return [
    ...(misplaced ? [`${name(confirmed)}: is allowed only for type gitlab (this one is ${values.type})`] : []),
    ...problemsOfUrls(row),
  ]
}

function problemsOfUrls({ values, name }: ProviderRow): string[] {
  if (values.type !== 'oidc') {
    if (values.issuer_url === undefined) return []
    return [`${name('issuer_url')}: is allowed only for type oidc (this one is ${values.type})`]
  }
  const urls = urlKeys.filter((key) => values[key] !== undefined)
  return [
    ...urls.map((key) => `${name(key)}: is not allowed for type oidc; its URLs are discovered from issuer_url`),
    ...problemsOfIssuer(values.issuer_url).map((problem) => `${name('issuer_url')}: ${problem}`),
  ]
}

function problemsOfIssuer(issuer: string | undefined): string[] {
  if (issuer === undefined) return ['is missing; a provider of type oidc needs its issuer']
  if (issuer.includes('/.well-known/')) return ['must be the URL of the issuer, not of its discovery document']
  const { username, password, search, hash } = new URL(issuer)
  return username || password || search || hash ? ['must not contain credentials, a query or a fragment'] : []
}

const urlKeys = [
  'provider_options.base_url',
  'provider_options.authorize_url',
  'provider_options.token_url',
  'provider_options.api_url',
] as const

function problemsOfRepeatedIds(rows: readonly ProviderRow[]): string[] {
  const ids = rows.map(({ values }) => values.id)
  return rows
    .filter(({ values }, n) => ids.indexOf(values.id) < n)
    .map(({ values, name }) => `${name('id')}: ${JSON.stringify(values.id)} is already the id of another provider`)
}

function optionalUrl(doc: string) {
  return url(envNamesPerRow, { optional: true, pattern: /^https?:\/\//i, doc })
}
