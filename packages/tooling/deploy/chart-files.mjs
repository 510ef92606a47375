import { busUsers, databaseOwners, deployableNames, propertiesOf, sharedSecrets } from './manifest.mjs'

const head = `# Properties of each deployable that an operator does not choose: whether it has a database, its HTTP port, what it
# connects to, which shared secrets it reads. Generated from the manifest, packages/contracts/src/deployables.ts.
`

export const chartFiles = {
  'helm/parley/files/services.yaml': () => head + deployableNames.flatMap(propertyLines).join('\n'),
  'helm/parley/values.yaml': (before) =>
    before.replace(/^services:\n(?: .*\n)+/m, (services) => {
      const missing = deployableNames.filter((name) => !services.includes(`\n  ${name}:`))
      return services + missing.map((name) => `  ${name}: {}\n`).join('')
    }),
  'helm/parley/values.schema.json': (before) => {
    const schema = JSON.parse(before)
    const definition = (name) => ({
      $ref: `#/definitions/${propertiesOf(name).database ? 'databaseService' : 'service'}`,
    })
    Object.assign(schema.properties.services, {
      required: deployableNames,
      properties: Object.fromEntries(deployableNames.map((name) => [name, definition(name)])),
    })
    return JSON.stringify(schema, undefined, 2)
  },
  'helm/parley/README.md': (before) =>
    before
      .replace(/(the password of each bus user: )[^|]*/, `$1${quoted(busUsers)} `)
      .replace(/(the `postgres:\/\/` URL of )[^|]*/, `$1${quoted(databaseOwners)} `),
}

const quoted = (names) => names.map((name) => `\`${name}\``).join(' ')

function propertyLines(name) {
  const { assets, database, http, reaches, secrets = [], trustsProxies, url } = propertiesOf(name)
  return [
    `${name}:`,
    ...(trustsProxies ? ['  trustsProxies: true'] : []),
    ...(database ? ['  database: true'] : []),
    ...(http ? [`  port: { number: ${http.number}, env: ${http.settings[0]} }`] : []),
    ...(http?.path ? [`  path: ${http.path}`] : []),
    ...(http?.listedAs ? [`  listedAs: ${http.listedAs}`] : []),
    ...(assets ? ['  assets: true'] : []),
    ...(url ? ['  url: true'] : []),
    ...(reaches ? [`  reaches: [${reaches.join(', ')}]`] : []),
    ...(secrets.length > 0 ? ['  secrets:'] : []),
    ...secrets.map((variable) => `    ${variable}: ${sharedSecrets[variable]}`),
  ]
}
