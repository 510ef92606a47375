import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { parse, parseAllDocuments } from 'yaml'
import { formatted } from '../format.mjs'
import { inWorkspace } from '../steps.mjs'

export const chart = inWorkspace('helm/parley')
export const read = (file) => readFileSync(`${chart}/${file}`, 'utf8')
const goldenOf = (name) => inWorkspace(`packages/tooling/deploy/golden/${name}.yaml`)
/** The Kubernetes version to render for; a Helm built from source has no default. */
const kubeVersion = ['--kube-version', '1.30.0']

/** The values of ci/, each on top of values.yaml. */
export function valueFiles() {
  return readdirSync(`${chart}/ci`).map((file) => ({
    name: file.replace('-values.yaml', ''),
    files: [`ci/${file}`],
    values: merged(parse(read('values.yaml')), parse(read(`ci/${file}`))),
  }))
}

/** The values of sizes/, each on top of the plain values. */
export function sizes() {
  const { files, values } = valueFiles().find(({ name }) => name === 'plain')
  return readdirSync(`${chart}/sizes`).map((file) => ({
    name: `sizes/${file}`,
    files: [...files, `sizes/${file}`],
    values: merged(values, parse(read(`sizes/${file}`))),
  }))
}

export function merged(below, above) {
  if (!isMap(below) || !isMap(above)) return above
  const keys = new Set([...Object.keys(below), ...Object.keys(above)])
  return Object.fromEntries([...keys].map((key) => [key, key in above ? merged(below[key], above[key]) : below[key]]))
}

export const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

export const hasHelm = () => run(['version']).status === 0

/** What helm renders for files of values (only the template `only`, if given); `problem` if it refuses them. */
export function render({ name, files }, { folder = chart, only } = {}) {
  const args = [folder, ...kubeVersion, ...files.flatMap((file) => ['-f', `${chart}/${file}`])]
  const lint = run(['lint', '--strict', '--quiet', ...args])
  if (lint.status !== 0) return { problem: `helm lint, ${name}: ${lint.stdout}${lint.stderr}` }
  const { stdout, stderr, status } = run(['template', 'parley', ...args, ...(only ? ['--show-only', only] : [])])
  return status === 0 ? { text: stdout, objects: objectsIn(stdout) } : { problem: `helm template, ${name}: ${stderr}` }
}

const run = (args) => spawnSync('helm', args, { encoding: 'utf8' })

/**
 * The committed rendering: its objects, the digest of its inputs, and the versions of Kubernetes it was validated
 * against.
 */
export function golden(name) {
  const text = existsSync(goldenOf(name)) ? readFileSync(goldenOf(name), 'utf8') : ''
  const line = (key) => new RegExp(`^# ${key}: (.+)$`, 'm').exec(text)?.[1]
  return { objects: objectsIn(text), digest: line('chart'), validated: line('validated') }
}

export async function writeGolden({ name, values }, text, validated) {
  const header = [
    `# What helm renders for helm/parley/ci/${name}-values.yaml. Written by check-deploy.mjs --write.`,
    ...(validated ? [`# validated: ${validated}`] : []),
    `# chart: ${digestOf(values)}`,
  ]
  await mkdir(inWorkspace('packages/tooling/deploy/golden'), { recursive: true })
  await writeFile(goldenOf(name), await formatted(goldenOf(name), [...header, text].join('\n')))
}

/** The digest of a rendering's inputs, ignoring comments of values.yaml. */
export function digestOf(values) {
  const hash = createHash('sha256').update(JSON.stringify([values, parse(read('Chart.yaml'))]))
  for (const folder of ['templates', 'files']) {
    for (const file of readdirSync(`${chart}/${folder}`).sort()) hash.update(file).update(read(`${folder}/${file}`))
  }
  return hash.digest('hex')
}

const objectsIn = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter(isMap)
