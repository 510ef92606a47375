import { readdirSync } from 'node:fs'
import { Ajv } from 'ajv'
import { chart, isMap, mergeValues, read, sizes, valueFiles } from './renderings.mjs'
import { knownKeys, plainVariables, secretSettings } from './settings.mjs'

/**
 * The schema must accept the values of ci/ and sizes/ and the other variables that deployables read. It must refuse
 * secrets, unknown keys, too large networks of trusted proxies, and wrong URLs, targets and amounts.
 */
export function problemsOfValues() {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema())
  const problems = []
  for (const { name, values } of [...valueFiles(), ...sizes()]) {
    if (!validate(values))
      problems.push(...validate.errors.map((error) => `${name}: ${error.instancePath} ${error.message}`))
    for (const key of keysOf(values.config))
      if (!knownKeys.has(key)) problems.push(`${name}: no deployable reads ${key}`)
  }
  const [{ values }] = valueFiles()
  const mustRefuse = (name, change) => {
    if (validate(mergeValues(values, change)))
      problems.push(`values.schema.json: accepts the secret ${name} as a value`)
  }
  for (const { names, toml } of secretSettings) {
    for (const name of names) mustRefuse(name, { env: { [name]: 'value' } })
    if (toml) mustRefuse(toml, { config: withKey(toml, 'value') })
  }
  for (const network of ['0.0.0.0/0', '0.0.0.0/1', '::/0', '2000::/3']) {
    if (validate(mergeValues(values, { ingress: { trustedProxies: [network] } })))
      problems.push(`values.schema.json: accepts ${network} as trusted proxies`)
  }
  for (const url of ['chat.example.org', 'https://a b', 'https://name:password@chat.example.org', 'https://a?b']) {
    if (validate(mergeValues(values, { url }))) problems.push(`values.schema.json: accepts ${url} as url`)
  }
  for (const target of ['0', '0.0', '0m', 'many']) {
    if (validate(mergeValues(values, { defaults: { autoscaling: { targets: { parley_realtime_sockets: target } } } })))
      problems.push(`values.schema.json: accepts ${target} as the target of an autoscaler`)
  }
  for (const memory of ['abc', '512MB', '1 Gi', '-1', -1, '']) {
    if (validate(mergeValues(values, { defaults: { resources: { limits: { memory } } } })))
      problems.push(`values.schema.json: accepts ${memory} as memory`)
  }
  for (const path of mapsIn(valueFiles().find(({ name }) => name === 'full').values)) {
    if (validate(withUnknown(values, path)))
      problems.push(`values.schema.json: accepts unknown keys in ${path.join('.')}`)
  }
  for (const name of plainVariables) {
    if (!validate(mergeValues(values, { env: { [name]: 'value' } })))
      problems.push(`values.schema.json: refuses ${name}, which a deployable reads`)
  }
  return problems
}

function mapsIn(value, path = []) {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, each]) => mapsIn(each, [...path, key]))
  return isMap(value) ? [path, ...inner] : inner
}

function withUnknown(values, path) {
  const full = structuredClone(valueFiles().find(({ name }) => name === 'full').values)
  path.reduce((at, key) => at[key], full).unknownKey = 1
  return path.length === 0 ? { ...values, unknownKey: 1 } : full
}

/** A value at a key of parley.toml. In `a.b[].c`, c is a key of the tables in the array a.b. */
const withKey = (path, value) =>
  path
    .split('.')
    .reduceRight((inner, key) => (key.endsWith('[]') ? { [key.slice(0, -2)]: [inner] } : { [key]: inner }), value)

const schema = () => JSON.parse(read('values.schema.json'))

function keysOf(tree, path = '') {
  return Object.entries(tree).flatMap(([key, value]) => (isMap(value) ? keysOf(value, `${path}${key}.`) : path + key))
}

/** Every value used by a template must be in the schema, because Helm treats a misspelt name as an empty value. */
export function problemsOfTemplates() {
  const { definitions, ...root } = schema()
  const resolve = (node) => (node?.$ref ? definitions[node.$ref.split('/').at(-1)] : node)
  const exists = (path) => {
    let node = root
    for (const key of path) {
      node = resolve(node?.properties?.[key] ?? (node?.properties ? undefined : {}))
      if (!node) return false
    }
    return true
  }
  return readdirSync(`${chart}/templates`).flatMap((file) =>
    [...read(`templates/${file}`).matchAll(/\.Values((?:\.\w+)+)/g)]
      .filter(([, path]) => !exists(path.slice(1).split('.')))
      .map(([whole]) => `templates/${file}: there is no ${whole}`),
  )
}
