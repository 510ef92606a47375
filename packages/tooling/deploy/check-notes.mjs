import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { problemsOfObject } from './kubernetes.mjs'
import { chart, render } from './renderings.mjs'

/**
 * The pod in the notes that helm prints after an installation must be locked down as the gateway's pod is, and have
 * the same image. `objects` are the objects that helm renders for the same values. Needs helm.
 */
export async function problemsOfNotes(file, objects) {
  const { problem, objects: found } = renderNotes(file)
  if (problem) return [problem]
  const overrides = JSON.parse(/--overrides='(.+)'$/m.exec(found[0].data.notes)[1])
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'notes' }, ...overrides }
  const gateway = objects.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'parley-gateway')
  const { containers, ...usual } = gateway.spec.template.spec
  const problems = await problemsOfObject(pod)
  for (const part of ['automountServiceAccountToken', 'enableServiceLinks', 'imagePullSecrets', 'securityContext'])
    if (!isDeepStrictEqual(pod.spec[part], usual[part]))
      problems.push(`a ${part} that differs from that of the gateway`)
  for (const part of ['image', 'securityContext'])
    if (!isDeepStrictEqual(pod.spec.containers[0][part], containers[0][part]))
      problems.push(`a container whose ${part} differs from that of the gateway`)
  // The command writes the settings of the bus into a temporary file.
  const writable = pod.spec.volumes?.some(({ name, emptyDir }) => name === 'tmp' && emptyDir)
  const mounted = pod.spec.containers[0].volumeMounts?.some(({ mountPath }) => mountPath === '/tmp')
  if (!writable || !mounted) problems.push('no folder for temporary files')
  return problems.map((each) => `${file.name}: the pod of NOTES.txt has ${each}`)
}

/** helm template leaves the notes out, so they are rendered as an object in a copy of the chart. */
function renderNotes(file) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-notes-'))
  try {
    cpSync(chart, folder, { recursive: true })
    const notes = readFileSync(`${chart}/templates/NOTES.txt`, 'utf8')
    const object = [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: { name: notes }',
      'data: { notes: {{ include "notes" . | toJson }} }',
    ].join('\n')
    writeFileSync(`${folder}/templates/notes.yaml`, `{{- define "notes" }}${notes}{{ end }}\n${object}\n`)
    return render(file, { folder, only: 'templates/notes.yaml' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
