import {
  bool,
  SettingError,
  SettingErrors,
  oneOf,
  readField,
  secret,
  str,
  type Field,
  type LoadedSources,
} from '@parley/config'

export type S3Settings = {
  readonly endpoint: string
  readonly bucket: string
  /** No leading and trailing slashes. Empty: no prefix. */
  readonly pathPrefix: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly useSsl: boolean
  /** Whether the bucket is in the path of URLs instead of the host name. */
  readonly pathStyle: boolean
  /** Whether clients are redirected to the S3 server for large files and for audio and video. */
  readonly presign: boolean
}

export type AssetStorage =
  | { readonly backend: 'disk'; readonly directory: string }
  | ({ readonly backend: 's3' } & S3Settings)

const toml = 'core.assets'
const namesOf = (key: string) => ({
  toml: `${toml}.${key}`,
  env: `PARLEY_CORE_ASSETS_${key.replace('.', '_').toUpperCase()}`,
})
const text = (key: string, doc: string, more: { default?: string } = {}) =>
  str(namesOf(key).env, { toml: namesOf(key).toml, doc, ...more, optional: true })

const backends = ['disk', 's3'] as const
const backend: Field<(typeof backends)[number]> = rejectValue(
  'nats',
  'is not supported: "disk" stores bytes in a folder, "s3" in a bucket',
  oneOf(namesOf('storage_backend').env, {
    toml: namesOf('storage_backend').toml,
    values: backends,
    default: 'disk',
    doc: 'where files are stored: disk (a folder) or s3 (a bucket)',
  }),
)
const directory = text('directory', 'folder for the files, shared by all processes of uploads; required with disk')

const s3 = {
  endpoint: text('s3.endpoint', 'host of the S3 server, with its port unless it is the default one; required with s3'),
  bucket: text('s3.bucket', 'name of an existing bucket on the S3 server; required with s3'),
  pathPrefix: text(
    's3.path_prefix',
    'prefix of all keys in the S3 bucket, for a bucket that other programs use as well',
    {
      default: '',
    },
  ),
  region: text('s3.region', 'region of the S3 bucket', { default: 'us-east-1' }),
  accessKeyId: text('s3.access_key_id', 'id of the access key for the S3 server; required with s3'),
  secretAccessKey: secret(namesOf('s3.secret_access_key').env, {
    toml: namesOf('s3.secret_access_key').toml,
    optional: true,
    doc: 'secret access key for the S3 server; required with s3',
  }),
  useSsl: bool(namesOf('s3.use_ssl').env, {
    toml: namesOf('s3.use_ssl').toml,
    default: true,
    doc: 'whether to connect to the S3 server with TLS',
  }),
  pathStyle: bool(namesOf('s3.path_style').env, {
    toml: namesOf('s3.path_style').toml,
    default: false,
    doc: 'whether the bucket is part of the path instead of the host name, as most self-hosted S3 servers require',
  }),
  presign: bool(namesOf('s3.presign').env, {
    toml: namesOf('s3.presign').toml,
    default: true,
    doc: 'whether clients download large files and media directly from the S3 server, which they must reach at the endpoint',
  }),
}

export const assetStorageFields = (): { assetStorage: Field<AssetStorage> } => ({
  assetStorage: {
    kind: 'tables',
    env: [],
    toml,
    doc: 'where the bytes of files are stored',
    default: undefined,
    optional: true,
    secret: false,
    parse: () => {
      throw new TypeError('this field is read from its parts')
    },
    read,
    shown: (value) => ({
      ...(value as AssetStorage),
      ...((value as AssetStorage).backend === 's3' && { secretAccessKey: '***' }),
    }),
    parts: [backend, directory, ...Object.values(s3)],
  },
})

function read(given: LoadedSources): AssetStorage {
  const problems: string[] = []
  const valueOf = <T>(field: Field<T>): T | undefined => {
    try {
      return readField(field, given)
    } catch (error) {
      if (!(error instanceof SettingError)) throw error
      problems.push(error.message)
      return undefined
    }
  }
  const required = (field: Field<string | undefined>, problem?: (value: string) => string | undefined): string => {
    const before = problems.length
    const value = valueOf(field)
    if (value === undefined && problems.length === before) problems.push(`${field.env[0]}: is missing (${field.doc})`)
    const reason = value === undefined ? undefined : problem?.(value)
    if (reason !== undefined) problems.push(`${field.env[0]}: ${reason}`)
    return value ?? ''
  }
  const chosen = valueOf(backend)
  const result: AssetStorage | undefined =
    chosen === 's3'
      ? {
          backend: 's3',
          endpoint: required(s3.endpoint, problemOfEndpoint),
          bucket: required(s3.bucket, problemOfBucket),
          pathPrefix: required(s3.pathPrefix, problemOfPrefix).replaceAll(/^\/+|\/+$/g, ''),
          region: required(s3.region),
          accessKeyId: required(s3.accessKeyId),
          secretAccessKey: required(s3.secretAccessKey),
          useSsl: valueOf(s3.useSsl) ?? true,
          pathStyle: valueOf(s3.pathStyle) ?? false,
          presign: valueOf(s3.presign) ?? true,
        }
      : chosen && { backend: 'disk', directory: required(directory) }
  if (problems.length > 0 || !result) throw new SettingErrors(problems)
  return result
}

function problemOfEndpoint(value: string): string | undefined {
  if (/^\w+:\/\//.test(value)) return 'must be a host without http:// or https://; use_ssl decides about TLS'
  return /^([\w.-]+|\[[\da-f:]+\])(:\d{1,5})?$/i.test(value) ? undefined : 'is not a host, or a host and its port'
}

const problemOfBucket = (value: string): string | undefined =>
  /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)
    ? undefined
    : 'is not a valid bucket name: 3 to 63 lower-case letters, digits, hyphens and dots, with a letter or digit at each end'

const problemOfPrefix = (value: string): string | undefined =>
  /^\/*([\w.-]+(\/[\w.-]+)*)?\/*$/.test(value) ? undefined : 'may contain letters, digits, _, -, . and single slashes'

function rejectValue<T>(word: string, why: string, field: Field<T>): Field<T> {
  const parse = (raw: unknown): T => {
    if (raw === word) throw new SettingError(why)
    return field.parse(raw)
  }
  return { ...field, parse }
}
