import { compact } from './image-files.mjs'
import {
  busUsers,
  compactDeployables,
  databaseOwners,
  deployableNames,
  propertiesOf,
  replaceBetween,
} from './manifest.mjs'

const busPassword = (user) => `PARLEY_NATS_PASSWORD_${user.toUpperCase()}`
const databasePassword = (name) => `PARLEY_DATABASE_PASSWORD_${name.toUpperCase()}`
const required = (variable) => `\${${variable}:?}`
const passwords = [...databaseOwners.map(databasePassword), ...busUsers.map(busPassword)]

export const composeFiles = {
  'deploy/compose/.env.example': (before) =>
    before.replace(/(?:^PARLEY_(?:DATABASE|NATS)_PASSWORD_\w+=\n)+/m, passwords.map((name) => `${name}=\n`).join('')),
  'deploy/compose/compose.yaml': (before) => withContainers(withEnvironments(withPasswords(before))),
  'deploy/compose/compact.yaml': (before) =>
    replaceBetween(before, '  # <deployables: replaced by the process compact>', '  # </deployables>', leftOut()),
}

const withPasswords = (text) =>
  text
    .replace(/(?: {6}PARLEY_DATABASE_PASSWORD_.*\n)+/, databaseOwners.map(databasePassword).map(line).join(''))
    .replace(/(?: {6}PARLEY_NATS_PASSWORD_[A-Z]+: .*\n)+/, busUsers.map(busPassword).map(line).join(''))

const line = (variable) => `      ${variable}: ${required(variable)}\n`

function withEnvironments(text) {
  const mark = '# <deployables: generated for each; settings below are kept>'
  const blocks = deployableNames.map((name) => environment(name, text))
  return replaceBetween(text, mark, '# </deployables>', join(blocks))
}

function withContainers(text) {
  const blocks = [...databaseOwners.map(migration), ...deployableNames.map(container), ...compactContainers()]
  return replaceBetween(text, '  # <deployables: containers>', '  # </deployables>', join(blocks))
}

const join = (blocks) => blocks.flatMap((lines) => [...lines, '']).slice(0, -1)

function environment(name, before) {
  const generated = generatedEnvironment(name)
  const block = new RegExp(`^x-${name}: .*\n((?: .*\n)*)`, 'm').exec(before)?.[1] ?? ''
  const kept = block.split('\n').filter((one) => {
    const key = /^ {2}(\w+|<<):/.exec(one)?.[1]
    return key && key !== '<<' && !(key in generated)
  })
  return [
    `x-${name}: &${name}`,
    '  <<: *settings',
    ...Object.entries(generated).map(([variable, value]) => `  ${variable}: ${value}`),
    ...kept,
  ]
}

function generatedEnvironment(name) {
  const { assets, database, http, proxies, secrets = [], url } = propertiesOf(name)
  const others = deployableNames.map((other) => [other, propertiesOf(other).http]).filter(([, port]) => port?.listedAs)
  return {
    PARLEY_SERVICE: name,
    PARLEY_NATS_USER: name,
    PARLEY_NATS_PASSWORD: required(busPassword(name)),
    ...(database && { [`PARLEY_${name.toUpperCase()}_DATABASE_URL`]: databaseUrl(name) }),
    ...(url && { PARLEY_WEBSERVER_URL: '${PARLEY_WEBSERVER_URL:-http://localhost:8080}' }),
    ...(http && { [http.settings[0]]: `'${http.number}'` }),
    ...(assets && { PARLEY_CORE_ASSETS_DIRECTORY: '/var/lib/parley/assets' }),
    ...Object.fromEntries(secrets.map((variable) => [variable, secretValue(variable)])),
    // The gateway forwards the paths of these deployables, for clients that can reach only its port.
    ...(proxies &&
      Object.fromEntries(others.map(([other, port]) => [port.listedAs, `http://${other}:${port.number}`]))),
  }
}

const databaseUrl = (name) =>
  `postgres://parley_${name}:${required(databasePassword(name))}@postgres:5432/parley_${name}`

const secretValue = (variable) =>
  variable === 'PARLEY_REDIS_URL' ? `redis://:${required('PARLEY_REDIS_PASSWORD')}@redis:6379` : required(variable)

const migration = (name) => [
  `  migrate-${name}:`,
  '    <<: *migration',
  `    command: [services/${name}/dist/migrate.js]`,
  `    environment: *${name}`,
]

const publishedPort = ({ published, number }) =>
  published && `\${PARLEY_LISTEN:-127.0.0.1}:\${${published}:-${number}}:${number}`

function container(name) {
  const { assets, database, http, secrets = [] } = propertiesOf(name)
  const published = http && publishedPort(http)
  return [
    `  ${name}:`,
    '    <<: *process',
    `    command: [services/${name}/dist/main.js]`,
    `    environment: *${name}`,
    ...(published ? ['    ports:', `      - ${published}`] : []),
    ...(assets ? ['    volumes:', '      - assets:/var/lib/parley/assets'] : []),
    '    depends_on:',
    '      nats: { condition: service_healthy }',
    ...(secrets.includes('PARLEY_REDIS_URL') ? ['      redis: { condition: service_healthy }'] : []),
    ...(database ? [`      migrate-${name}: { condition: service_completed_successfully }`] : []),
  ]
}

function compactContainers() {
  const environment = [
    '    environment:',
    `      <<: [${compactDeployables.map((name) => `*${name}`).join(', ')}]`,
    '      PARLEY_SERVICE: compact',
    ...compactDeployables.map(busPassword).map(line),
  ].map((one) => one.trimEnd())
  const ports = compactDeployables.flatMap((name) => publishedPort(propertiesOf(name).http ?? {}) ?? [])
  return [
    [
      '  migrate-compact:',
      '    <<: *migration',
      '    profiles: [compact]',
      `    command: [${compact.migrate}]`,
      ...environment,
    ],
    [
      '  compact:',
      '    <<: *process',
      '    profiles: [compact]',
      `    command: [${compact.main}]`,
      ...environment,
      '    ports:',
      ...ports.map((port) => `      - ${port}`),
      '    volumes:',
      '      - assets:/var/lib/parley/assets',
      '    depends_on:',
      '      nats: { condition: service_healthy }',
      '      redis: { condition: service_healthy }',
      '      migrate-compact: { condition: service_completed_successfully }',
    ],
  ]
}

const leftOut = () =>
  [...databaseOwners.map((name) => `migrate-${name}`), ...compactDeployables].map(
    (name) => `  ${name}: { profiles: [separate] }`,
  )
