import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { inWorkspace } from '../steps.mjs'
import { formatText } from '../format.mjs'
import { knownKeys } from './settings.mjs'

const file = inWorkspace('helm/parley/values.schema.json')

/**
 * The schema must have exactly the keys of parley.toml that some program reads. Keys that it refuses, such as
 * secrets, stay refused. `write` updates the schema.
 */
export async function problemsOfConfigSchema({ write } = {}) {
  const schema = JSON.parse(readFileSync(file, 'utf8'))
  const config = { type: 'object', description: 'The content of parley.toml', ...tableOf([...knownKeys].toSorted()) }
  for (const { path, refusal } of refusals(schema.properties.config)) Object.assign(at(config, path) ?? {}, refusal)
  if (isDeepStrictEqual(config, schema.properties.config)) return []
  if (!write) return ['values.schema.json: config is out of date; run: pnpm check-deploy --write']
  schema.properties.config = config
  await writeFile(file, await formatText(file, JSON.stringify(schema, undefined, 2)))
  return []
}

/** `name[]` is an array of tables. */
function tableOf(keys) {
  const inner = new Map()
  for (const key of keys) {
    const [first, ...rest] = key.split('.')
    inner.set(first, [...(inner.get(first) ?? []), ...(rest.length > 0 ? [rest.join('.')] : [])])
  }
  const properties = [...inner].map(([name, rest]) => {
    const table = rest.length > 0 ? { type: 'object', ...tableOf(rest) } : {}
    return name.endsWith('[]') ? [name.slice(0, -2), { type: 'array', items: table }] : [name, table]
  })
  return { additionalProperties: false, properties: Object.fromEntries(properties) }
}

/** The refused keys, each with its part of the schema, which says why it is refused. */
function refusals(node, path = []) {
  if (node?.not) return [{ path, refusal: node }]
  return Object.entries(node?.items?.properties ?? node?.properties ?? {}).flatMap(([key, each]) =>
    refusals(each, [...path, key]),
  )
}

const at = (node, path) => path.reduce((found, key) => (found?.items?.properties ?? found?.properties)?.[key], node)
