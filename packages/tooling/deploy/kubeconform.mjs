import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Whether a resource belongs to Kubernetes itself. Third-party resources are validated only by kubernetes.mjs.
 */
function isOwn({ apiVersion }) {
  const [group] = apiVersion.split('/')
  return !group.includes('.') || (group.endsWith('.k8s.io') && group !== 'gateway.networking.k8s.io')
}

/** The folder comes from the Python package kubernetes-validate, if it is installed. */
const schemaFolder = findSchemas()

function findSchemas() {
  const find = 'import importlib.util as i; print(i.find_spec("kubernetes_validate").submodule_search_locations[0])'
  const { status, stdout } = spawnSync('python3', ['-c', find], { encoding: 'utf8' })
  return status === 0 ? join(stdout.trim(), 'kubernetes-json-schema') : undefined
}

/** Returns undefined if objects can be validated against the schemas of Kubernetes here. */
export function whyNotValidated() {
  const missing = [
    ...(spawnSync('kubeconform', ['-v']).error ? ['kubeconform'] : []),
    ...(existsSync(schemaFolder ?? '') ? [] : ['the Python package kubernetes-validate']),
  ]
  return missing.length > 0 ? `${missing.join(' and ')} not installed` : undefined
}

/** Versions of Kubernetes, from the given minor version on, for which there are schemas. */
export function versionsFrom(minor) {
  const versions = readdirSync(schemaFolder).map((name) => /^v(1\.(\d+)\.\d+)-local-strict$/.exec(name))
  return versions
    .filter((match) => match && Number(match[2]) >= minor)
    .toSorted((a, b) => Number(a[2]) - Number(b[2]))
    .map(([, version]) => version)
}

/**
 * Validates objects against the schemas of several versions of Kubernetes, which refuse unknown keys. Third-party
 * resources are left out.
 */
export function problemsOfSchemas(objects, versions) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-schemas-'))
  try {
    const own = objects.filter(isOwn)
    const file = join(folder, 'objects.json')
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: own }))
    const kinds = new Set(own.map(schemaName))
    return versions.flatMap((version) => {
      writeSchemas(version, kinds, folder)
      const location = `${folder}/{{ .ResourceKind }}{{ .KindSuffix }}.json`
      const args = ['-strict', '-kubernetes-version', version, '-schema-location', location, '-output', 'json', file]
      const { stdout, stderr, error } = spawnSync('kubeconform', args, { encoding: 'utf8' })
      if (error || !stdout) return [`kubeconform: ${error?.message ?? stderr}`]
      const { resources } = JSON.parse(stdout)
      return resources.map(({ kind, name, msg }) => `Kubernetes ${version}: ${kind} ${name}: ${msg}`)
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const schemaName = ({ apiVersion, kind }) =>
  `${kind}-${apiVersion.replace(/\.[^/]*/, '').replace('/', '-')}.json`.toLowerCase()

/** kubeconform needs each kind in a file with the definitions that its schema refers to. */
function writeSchemas(version, kinds, folder) {
  const from = (name) => join(schemaFolder, `v${version}-local-strict`, name)
  const read = (name) => JSON.parse(readFileSync(from(name), 'utf8').replaceAll('/api/_definitions.json#', '#'))
  const all = read('_definitions.json').$defs
  for (const kind of kinds) {
    // If this version lacks the kind, kubeconform reports it.
    rmSync(join(folder, kind), { force: true })
    if (!existsSync(from(kind))) continue
    const schema = read(kind)
    // With an `$id`, references would be resolved against that address.
    delete schema.$id
    const names = definitionsOf(schema, all)
    const $defs = Object.fromEntries([...names].map((name) => [name, all[name]]))
    writeFileSync(join(folder, kind), JSON.stringify({ ...schema, $defs }))
  }
}

/** The result includes definitions to which other definitions refer. */
function definitionsOf(schema, all, found = new Set()) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    definitionsOf(all[name], all, found)
  }
  return found
}
