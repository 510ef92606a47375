import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { inWorkspace } from '../steps.mjs'
import { problemsOfCompact } from './check-compact.mjs'
import { compact, deployables, hasDatabase, programs } from './image-files.mjs'
import { choicesOf, problemsOfEnvironment, secretSettings } from './settings.mjs'

const folder = inWorkspace('deploy/compose')

export async function checkCompose() {
  const variables = filledEnvironment()
  const text = readFileSync(join(folder, 'compose.yaml'), 'utf8')
  const problems = []
  const filled = interpolate(text, variables, problems)
  if (problems.length > 0) return { problems, skipped: [] }
  const compose = parse(filled, { merge: true })
  const checker = new Compose(compose, variables, parse(text, { merge: true }))
  await checker.check()
  checker.problems.push(...(await problemsOfBucket(compose.services.uploads.environment)))
  checker.problems.push(...settingsNotPassedOn(compose.services))
  return withDockerCompose(checker.problems, variables)
}

function settingsNotPassedOn(services) {
  const bucket = parse(readFileSync(join(folder, 's3.yaml'), 'utf8')).services
  return deployables.flatMap((name) => {
    const given = { ...services[name]?.environment, ...bucket[name]?.environment }
    return choicesOf(name)
      .filter((names) => !names.some((variable) => variable in given))
      .map(([variable]) => `compose.yaml: ${name} reads ${variable}, which compose.yaml does not pass on to it`)
  })
}

async function problemsOfBucket(environment) {
  const text = readFileSync(join(folder, 's3.yaml'), 'utf8')
  const given = Object.keys(parse(text).services.uploads.environment)
  const secrets = given.filter((name) => secretSettings.some(({ names }) => names.includes(name)))
  const notFromEnv = secrets.filter((name) => !text.includes(`${name}: \${${name}:?}`))
  const filled = text.replaceAll(/\$\{\w+(?::-([^}]*)|:\?)\}/g, (_, standard) => standard ?? 'filled-in')
  const together = { ...environment, ...parse(filled).services.uploads.environment }
  const strings = Object.fromEntries(Object.entries(together).map(([name, value]) => [name, String(value ?? '')]))
  return [
    ...notFromEnv.map((name) => `s3.yaml: ${name} is a secret, but does not come from .env`),
    ...(await problemsOfEnvironment('s3.yaml: uploads', 'uploads', strings)),
  ]
}

/** .env.example with a value for every secret, as new-env.sh writes it. */
function filledEnvironment() {
  const lines = readFileSync(join(folder, '.env.example'), 'utf8').match(/^[A-Z_]+=.*$/gm)
  return Object.fromEntries(
    lines.map((line) => {
      const [name, value] = line.split(/=(.*)/s)
      return [name, value || `p-${name.toLowerCase().replaceAll('_', '-')}-0123456789abcdef`]
    }),
  )
}

function interpolate(text, variables, problems) {
  return text.replaceAll(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (whole, name, kind, standard) => {
    if (whole === '$$') return '$'
    if (variables[name]) return variables[name]
    if (kind === '-') return standard
    problems.push(`compose.yaml: ${name} is not in .env.example`)
    return ''
  })
}

class Compose {
  problems = []

  constructor(compose, variables, unfilled) {
    this.services = compose.services
    this.volumes = compose.volumes
    this.variables = variables
    this.unfilled = unfilled.services
  }

  async check() {
    for (const name of deployables) await this.checkDeployable(name)
    this.problems.push(...(await problemsOfCompact(this.services)))
    this.checkPrograms()
    this.checkReferences()
    this.checkBusPasswords(deployables)
    this.checkDatabases(deployables)
    this.checkSecrets()
  }

  must(holds, problem) {
    if (!holds) this.problems.push(`compose.yaml: ${problem}`)
  }

  async checkDeployable(name) {
    const service = this.services[name]
    if (!service) return this.must(false, `${name} is missing`)
    const { environment } = service
    this.problems.push(...(await problemsOfEnvironment(`compose.yaml: ${name}`, name, environment)))
    this.must(environment.PARLEY_SERVICE === name, `${name} has PARLEY_SERVICE=${environment.PARLEY_SERVICE}`)
    this.must(environment.PARLEY_NATS_USER === name, `${name} connects to the bus as another user`)
    const probe = `http://127.0.0.1:${environment.PARLEY_INTERNAL_PORT}/readyz`
    this.must(
      service.healthcheck?.test.join(' ').includes(probe),
      `${name}: its health check does not request ${probe}`,
    )
    this.must(seconds(service.stop_grace_period) > 20, `${name} has no time to drain`)
    this.must(service.read_only && service.cap_drop?.includes('ALL'), `${name} is not locked down`)
    this.must(service.restart === 'unless-stopped', `${name} is not restarted`)
    if (!hasDatabase(name)) return
    const migration = this.services[`migrate-${name}`]
    this.must(migration, `${name} has no migration`)
    this.must(
      service.depends_on[`migrate-${name}`]?.condition === 'service_completed_successfully',
      `${name} does not wait for its migration`,
    )
    this.must(migration?.command.join() === `services/${name}/dist/migrate.js`, `migrate-${name} runs something else`)
    const sameDatabase = Object.entries(environment).every(
      ([key, value]) => !key.endsWith('DATABASE_URL') || migration?.environment[key] === value,
    )
    this.must(sameDatabase, `migrate-${name} migrates another database`)
  }

  checkPrograms() {
    const all = programs()
    for (const [name, { image, command, entrypoint }] of Object.entries(this.services)) {
      if (image !== this.variables.PARLEY_IMAGE) continue
      const program = command?.[0] ?? entrypoint?.[1]
      this.must(all.includes(program), `${name} runs ${program}, which is not a program of the image`)
      if (command?.[0].endsWith('main.js')) {
        const own = name === 'compact' ? compact.main : `services/${name}/dist/main.js`
        this.must(program === own, `${name} runs ${program} instead of ${own}`)
      }
    }
  }

  checkReferences() {
    const ports = { postgres: '5432', nats: '4222', redis: '6379' }
    for (const [name, { environment = {}, volumes = [], depends_on = {}, ports: published = [] }] of Object.entries(
      this.services,
    )) {
      for (const [key, value] of Object.entries(environment)) {
        const [, host, port] = /^\w+:\/\/(?:[^@/]*@)?([\w-]+):(\d+)/.exec(String(value)) ?? []
        if (!host || host === 'localhost') continue
        const listens = ports[host] ?? this.httpPort(host)
        this.must(listens === port, `${name}: ${key} points to ${host}:${port}, where nothing listens`)
      }
      for (const volume of volumes) {
        const [source] = volume.split(':')
        if (!source.startsWith('.')) this.must(source in this.volumes, `${name}: volume ${source} is not declared`)
        else this.must(readable(join(folder, source)), `${name}: ${source} is mounted, but does not exist`)
      }
      for (const port of published) {
        const inside = port.split(':').at(-1)
        this.must(this.httpPort(name) === inside, `${name}: nothing listens on the published port ${inside}`)
      }
      for (const other of Object.keys(depends_on))
        this.must(other in this.services, `${name} waits for ${other}, which is missing`)
    }
  }

  httpPort(name) {
    const entries = Object.entries(this.services[name]?.environment ?? {})
    return entries.find(([key]) => key.endsWith('_PORT') && key !== 'PARLEY_INTERNAL_PORT')?.[1]
  }

  /** Every user in deploy/nats/parley.conf must have a password, and each process the password of its user. */
  checkBusPasswords(names) {
    const conf = readFileSync(inWorkspace('deploy/nats/parley.conf'), 'utf8')
    const given = this.services.nats.environment
    const wanted = [...new Set([...conf.matchAll(/password: \$(\w+)/g)].map(([, variable]) => variable))]
    this.must(
      wanted.sort().join() === Object.keys(given).sort().join(),
      `the passwords that nats gets are not those that parley.conf uses (${wanted.join(', ')})`,
    )
    for (const name of [...names, 'operator']) {
      const password = this.services[name]?.environment.PARLEY_NATS_PASSWORD
      this.must(
        password === given[`PARLEY_NATS_PASSWORD_${name.toUpperCase()}`],
        `${name} has the bus password of another user`,
      )
      this.must(/^[a-z]/i.test(password), `the bus password of ${name} does not begin with a letter`)
    }
  }

  /** Role, database and password of every database URL must match postgres-init.sh. */
  checkDatabases(names) {
    for (const name of names.filter(hasDatabase)) {
      const password = this.services.postgres.environment[`PARLEY_DATABASE_PASSWORD_${name.toUpperCase()}`]
      const url = this.services[name]?.environment[`PARLEY_${name.toUpperCase()}_DATABASE_URL`]
      const wanted = `postgres://parley_${name}:${password}@postgres:5432/parley_${name}`
      this.must(url === wanted, `${name} uses the database URL ${url}, which postgres-init.sh does not create`)
    }
  }

  checkSecrets() {
    const secret = new Set(secretSettings.flatMap(({ names }) => names))
    for (const [name, { environment = {} }] of Object.entries(this.unfilled)) {
      for (const [key, value] of Object.entries(environment)) {
        if (!secret.has(key) && !/PASSWORD/.test(key)) continue
        // `:-` is for optional secrets, which are empty if .env lacks them.
        this.must(/\$\{\w+:[?-]\}/.test(value), `${name}: ${key} is a secret, but does not come from .env`)
      }
    }
  }
}

const seconds = (text) => Number(/^(\d+)s$/.exec(text)?.[1] ?? 0)

function readable(path) {
  try {
    return readFileSync(path) !== undefined
  } catch {
    return false
  }
}

/** Adds what docker-compose reports, if it is installed. */
async function withDockerCompose(problems, variables) {
  const temporary = await mkdtemp(join(tmpdir(), 'parley-compose-'))
  try {
    const file = join(temporary, '.env')
    await writeFile(
      file,
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    const args = ['--env-file', file, '-f', join(folder, 'compose.yaml'), 'config', '-q']
    const { status, error, stderr } = spawnSync('docker-compose', args, { encoding: 'utf8' })
    if (error) return { problems, skipped: ['docker-compose config: docker-compose is not installed'] }
    if (status !== 0) problems.push(`docker-compose config: ${stderr}`)
    return { problems, skipped: [] }
  } finally {
    await rm(temporary, { recursive: true })
  }
}
