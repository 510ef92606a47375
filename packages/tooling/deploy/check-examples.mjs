import { readdirSync, readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'
import { inWorkspace } from '../steps.mjs'
import { problemsOfObject } from './kubernetes.mjs'
import { busUsers, databaseOwners } from './manifest.mjs'

const folder = inWorkspace('deploy/examples')

/** Parameters that packages/postgres sends when it connects; a pooler must ignore them. */
const startupParameters = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']

export const examples = () =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(`${folder}/${file}`, 'utf8')).map((document) => document.toJS()))

/**
 * NATS must have every user and PostgreSQL every database of the manifest, services must be able to connect through
 * the pooler, a policy must restrict who may connect to each pod, and Sentinels must require a password. The schemas of
 * CloudNativePG are not known here, so its resources may have unknown keys.
 */
export async function problemsOfExamples(objects = examples()) {
  const known = objects.filter(({ apiVersion }) => !apiVersion.startsWith('postgresql.cnpg.io/'))
  const problems = (await Promise.all(known.map(problemsOfObject))).flat()
  const must = (holds, problem) => holds || problems.push(problem)
  const find = (kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name)
  const users = find('StatefulSet', 'nats').spec.template.spec.containers[0].env.flatMap(
    ({ valueFrom }) => valueFrom.secretKeyRef?.key ?? [],
  )
  must(users.toSorted().join() === busUsers.toSorted().join(), `NATS has the users ${users}, not ${busUsers}`)
  const wanted = databaseOwners.map((name) => `parley_${name}`).toSorted()
  const databases = objects.filter(({ kind }) => kind === 'Database').map(({ spec }) => spec)
  const roles = find('Cluster', 'postgres').spec.managed.roles.map(({ name }) => name)
  for (const found of [roles, databases.map(({ name }) => name), databases.map(({ owner }) => owner)])
    must(found.toSorted().join() === wanted.join(), `PostgreSQL has ${found}, not ${wanted}`)
  const { ignore_startup_parameters: ignored = '' } = find('Pooler', 'postgres-pooler').spec.pgbouncer.parameters
  for (const setting of startupParameters)
    must(ignored.split(',').includes(setting), `the pooler refuses connections with ${setting}`)
  for (const { kind, metadata, spec } of objects.filter((each) => each.spec?.template)) {
    const { containers, securityContext } = spec.template.spec
    const locked =
      securityContext.runAsNonRoot && containers.every((each) => each.securityContext.readOnlyRootFilesystem)
    must(locked, `${kind} ${metadata.name}: is not locked down (securityContext)`)
    must(isClosed(spec.template, objects), `${kind} ${metadata.name}: anybody may connect to it`)
  }
  for (const { metadata, data = {} } of objects.filter(({ kind }) => kind === 'ConfigMap')) {
    for (const [file, text] of Object.entries(data)) {
      if (!/^sentinel monitor /m.test(text)) continue
      for (const directive of ['requirepass', 'sentinel sentinel-pass'])
        must(new RegExp(`^${directive} \\$`, 'm').test(text), `${metadata.name}, ${file}: has no ${directive}`)
    }
  }
  return problems.map((problem) => `deploy/examples: ${problem}`)
}

function isClosed({ metadata, spec }, objects) {
  const policies = objects.filter(
    ({ kind, spec: { podSelector, policyTypes } = {} }) =>
      kind === 'NetworkPolicy' &&
      policyTypes.includes('Ingress') &&
      Object.entries(podSelector.matchLabels).every(([key, value]) => metadata.labels[key] === value),
  )
  const ports = spec.containers.flatMap((container) => container.ports.map(({ name }) => name))
  const rules = policies.flatMap(({ spec: { ingress } }) => ingress)
  return (
    rules.length > 0 &&
    rules.every(({ from, ports: opened }) => from?.length > 0 && opened.every(({ port }) => ports.includes(port)))
  )
}
