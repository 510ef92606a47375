import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments } from 'yaml'
import { formatted } from '../format.mjs'
import { inWorkspace } from '../steps.mjs'
import { problemsOfAlerts } from './check-alerts.mjs'
import { problemsOfReach } from './check-network.mjs'
import { problemsOfRelease } from './release.mjs'
import { problemsOfScaling } from './scaling.mjs'
import { knownKeys, openVariables, secretSettings } from './settings.mjs'

const chart = inWorkspace('helm/parley')
const read = (file) => readFileSync(`${chart}/${file}`, 'utf8')
const goldenOf = (name) => inWorkspace(`packages/tooling/deploy/golden/${name}.yaml`)
/** A Kubernetes version, which a Helm built from source does not know. */
const kubeVersion = ['--kube-version', '1.30.0']
const howToRender = 'with helm on PATH, run: node packages/tooling/check-deploy.mjs --write'

/**
 * Checks the chart's values and templates, and the rendered objects for each file of ci/. helm renders them if it is
 * installed; otherwise the committed result is used, after checking that it belongs to the current chart.
 */
export async function checkChart({ write }) {
  const problems = [
    ...(await problemsOfValues()),
    ...problemsOfTemplates(),
    ...(await problemsOfAlerts(`${chart}/files`, { write })),
    ...(await problemsOfScaling({ write })),
    ...problemsOfReach(),
  ]
  const helm = spawnSync('helm', ['version'], { encoding: 'utf8' }).status === 0
  if (write && !helm) problems.push('there is no helm to render with')
  for (const { name, values } of valueFiles()) {
    if (helm) problems.push(...(await compareWithHelm(name, write)))
    else if (digestIn(name) !== digestOf(values)) problems.push(`golden/${name}.yaml is out of date: ${howToRender}`)
    if (!existsSync(goldenOf(name))) continue
    const found = await problemsOfRelease(objectsIn(readFileSync(goldenOf(name), 'utf8')), values)
    problems.push(...found.map((problem) => `${name}-values.yaml: ${problem}`))
  }
  for (const size of sizes()) if (helm) problems.push(...(await problemsOfSize(size)))
  const skipped = helm ? [] : ['rendering the chart anew: helm is not installed; what it rendered last was checked']
  return { problems, skipped }
}

/** The values of ci/, each on top of values.yaml. */
function valueFiles() {
  return readdirSync(`${chart}/ci`).map((file) => {
    const values = merged(parse(read('values.yaml')), parse(read(`ci/${file}`)))
    return { name: file.replace('-values.yaml', ''), values }
  })
}

/** The values for sizes of a server, each on top of the least that must be given. */
function sizes() {
  const { values } = valueFiles().find(({ name }) => name === 'plain')
  return readdirSync(`${chart}/sizes`).map((file) => ({
    name: file,
    values: merged(values, parse(read(`sizes/${file}`))),
  }))
}

async function problemsOfSize({ name, values }) {
  const { stdout, stderr, status } = template(['-f', `${chart}/ci/plain-values.yaml`, '-f', `${chart}/sizes/${name}`])
  if (status !== 0) return [`helm template, ${name}: ${stderr}`]
  return (await problemsOfRelease(objectsIn(stdout), values)).map((problem) => `sizes/${name}: ${problem}`)
}

function merged(below, above) {
  if (!isMap(below) || !isMap(above)) return above
  const keys = new Set([...Object.keys(below), ...Object.keys(above)])
  return Object.fromEntries([...keys].map((key) => [key, key in above ? merged(below[key], above[key]) : below[key]]))
}

const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

async function problemsOfValues() {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema())
  const problems = []
  for (const { name, values } of [...valueFiles(), ...sizes()]) {
    if (!validate(values))
      problems.push(...validate.errors.map((error) => `${name}: ${error.instancePath} ${error.message}`))
    for (const key of keysOf(values.config)) if (!knownKeys.has(key)) problems.push(`${name}: nobody reads ${key}`)
  }
  const [{ values }] = valueFiles()
  const refuses = (name, change) => {
    if (validate(merged(values, change))) problems.push(`values.schema.json: lets the secret ${name} be a value`)
  }
  for (const { names, toml } of secretSettings) {
    for (const name of names) refuses(name, { env: { [name]: 'value' } })
    if (toml) refuses(toml, { config: withKey(toml, 'value') })
  }
  for (const network of ['0.0.0.0/0', '0.0.0.0/1', '::/0', '2000::/3']) {
    if (validate(merged(values, { ingress: { trustedProxies: [network] } })))
      problems.push(`values.schema.json: lets the proxies be ${network}`)
  }
  for (const name of openVariables) {
    if (!validate(merged(values, { env: { [name]: 'value' } })))
      problems.push(`values.schema.json: nobody can set ${name}`)
  }
  return problems
}

/** The key in parley.toml: `a.b[].c` is the key c of every table b. */
const withKey = (path, value) =>
  path
    .split('.')
    .reduceRight((inner, key) => (key.endsWith('[]') ? { [key.slice(0, -2)]: [inner] } : { [key]: inner }), value)

const schema = () => JSON.parse(read('values.schema.json'))

function keysOf(tree, path = '') {
  return Object.entries(tree).flatMap(([key, value]) => (isMap(value) ? keysOf(value, `${path}${key}.`) : path + key))
}

/** Checks that every value used by a template is in the schema, because Helm treats a misspelt one as empty. */
function problemsOfTemplates() {
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

/** The inputs of a rendering, without comments of values.yaml. */
function digestOf(values) {
  const hash = createHash('sha256').update(JSON.stringify([values, parse(read('Chart.yaml'))]))
  for (const folder of ['templates', 'files']) {
    for (const file of readdirSync(`${chart}/${folder}`).sort()) hash.update(file).update(read(`${folder}/${file}`))
  }
  return hash.digest('hex')
}

function digestIn(name) {
  return existsSync(goldenOf(name)) ? /^# chart: (\w+)$/m.exec(readFileSync(goldenOf(name), 'utf8'))?.[1] : undefined
}

const objectsIn = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(isMap)

const run = (command, args) => spawnSync(command, args, { encoding: 'utf8' })
const template = (args) => run('helm', ['template', 'parley', chart, ...kubeVersion, ...args])

async function compareWithHelm(name, write) {
  const args = ['-f', `${chart}/ci/${name}-values.yaml`]
  const lint = run('helm', ['lint', '--strict', '--quiet', chart, ...kubeVersion, ...args])
  if (lint.status !== 0) return [`helm lint, ${name}: ${lint.stdout}${lint.stderr}`]
  const { stdout, stderr, status } = template(args)
  if (status !== 0) return [`helm template, ${name}: ${stderr}`]
  const { values } = valueFiles().find((file) => file.name === name)
  if (write) await writeGolden(name, stdout, digestOf(values))
  const golden = existsSync(goldenOf(name)) ? readFileSync(goldenOf(name), 'utf8') : ''
  const same = isDeepStrictEqual(objectsIn(golden), objectsIn(stdout)) && digestIn(name) === digestOf(values)
  return same ? [] : [`golden/${name}.yaml is not what helm renders: ${howToRender}`]
}

async function writeGolden(name, rendered, digest) {
  const header = `# What helm renders for helm/parley/ci/${name}-values.yaml. Made by check-deploy.mjs --write.\n# chart: ${digest}\n`
  await mkdir(inWorkspace('packages/tooling/deploy/golden'), { recursive: true })
  await writeFile(goldenOf(name), await formatted(goldenOf(name), header + rendered))
}
