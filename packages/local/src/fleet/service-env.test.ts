import { expect, test } from '@jest/globals'
import { processEnvironment, serviceEnvironment } from './service-env.ts'
import { parleyServices } from './service-list.ts'

const fleet = {
  publicUrl: 'http://127.0.0.1:8080',
  publicHost: '127.0.0.1',
  natsUrl: 'nats://127.0.0.1:4222',
  redisUrl: 'redis://127.0.0.1:6379',
  postgresPort: 5432,
  assetsFolder: '/data/assets',
  mailFolder: undefined,
  secret: (name: string) => `secret-${name}`,
}
const rooms = { name: 'rooms', main: 'main.js', migrate: 'migrate.js' }

test('a service gets its own credentials and those of no other', () => {
  const env = serviceEnvironment(rooms, fleet, {})
  expect(env).toMatchObject({
    PARLEY_SERVICE: 'rooms',
    PARLEY_NATS_USER: 'rooms',
    PARLEY_NATS_PASSWORD: 'secret-nats.rooms',
    PARLEY_ROOMS_DATABASE_URL: 'postgres://parley_rooms:secret-database.rooms@127.0.0.1:5432/parley_rooms',
  })
  expect(JSON.stringify(env)).not.toMatch(/secret-(nats|database)\.(?!rooms)/)
})

test('the operator can change settings of a service, but not its access to the bus', () => {
  const env = serviceEnvironment(rooms, fleet, {
    PARLEY_DATABASE_POOL: '9',
    PARLEY_WEBSERVER_URL: 'https://chat.example.org',
    PARLEY_NATS_USER: 'gateway',
    PARLEY_NATS_URL: 'nats://elsewhere:4222',
  })
  expect(env).toMatchObject({
    PARLEY_DATABASE_POOL: '9',
    PARLEY_WEBSERVER_URL: 'https://chat.example.org',
    PARLEY_NATS_USER: 'rooms',
    PARLEY_NATS_URL: fleet.natsUrl,
  })
})

test('a service does not get the password of the owner, but does get the e-mail address', () => {
  const env = serviceEnvironment(rooms, fleet, { PARLEY_OWNER_PASSWORD: 'secret', PARLEY_OWNER_EMAIL: 'o@example.org' })
  expect(env).not.toHaveProperty('PARLEY_OWNER_PASSWORD')
  expect(env).toHaveProperty('PARLEY_OWNER_EMAIL')
})

test('empty or absent settings do not override those of the fleet', () => {
  const env = serviceEnvironment(rooms, fleet, { PARLEY_CORE_SECRET_KEY: '', PARLEY_WEBSERVER_URL: undefined })
  expect(env).toMatchObject({ PARLEY_CORE_SECRET_KEY: 'secret-core', PARLEY_WEBSERVER_URL: fleet.publicUrl })
})

test('gateway and uploads receive the blob secret, rooms does not', () => {
  const keyOf = (name: string) => serviceEnvironment({ ...rooms, name }, fleet, {}).PARLEY_UPLOADS_BLOB_SECRET
  expect([keyOf('gateway'), keyOf('uploads'), keyOf('rooms')]).toEqual([
    'secret-uploadsBlob',
    'secret-uploadsBlob',
    undefined,
  ])
})

test('services also receive the previous value of rotated secrets', () => {
  const rotated = { ...fleet, previousSecret: (name: string) => (name === 'assetsSigning' ? undefined : `old-${name}`) }
  const env = serviceEnvironment({ ...rooms, name: 'uploads' }, rotated, {})
  expect(env).toMatchObject({
    PARLEY_CORE_SECRET_KEY: 'secret-core',
    PARLEY_CORE_SECRET_KEY_PREVIOUS: 'old-core',
    PARLEY_UPLOADS_BLOB_SECRET_PREVIOUS: 'old-uploadsBlob',
  })
  expect(env).not.toHaveProperty('PARLEY_CORE_ASSETS_SIGNING_SECRET_PREVIOUS')
  expect(serviceEnvironment(rooms, rotated, {})).not.toHaveProperty('PARLEY_UPLOADS_BLOB_SECRET_PREVIOUS')
})

test('uploads and admin are configured for video processing, unless a setting says otherwise', () => {
  const valueFor = (name: string, given = {}) =>
    serviceEnvironment({ name, main: 'main.js' }, { ...fleet, videos: true }, given).PARLEY_VIDEO_ENABLED
  expect([valueFor('uploads'), valueFor('admin'), valueFor('rooms')]).toEqual(['true', 'true', undefined])
  expect(valueFor('uploads', { PARLEY_VIDEO_ENABLED: 'false' })).toBe('false')
})

test('calls gets the key and the secret of the media server, admin only its URL, rooms nothing', () => {
  const media = {
    ...{ PARLEY_LIVEKIT_ENABLED: 'true', PARLEY_LIVEKIT_URL: 'ws://127.0.0.1:7880' },
    ...{ PARLEY_LIVEKIT_API_KEY: 'key', PARLEY_LIVEKIT_API_SECRET: 'secret-livekit' },
  }
  const valueFor = (name: string, given = {}) =>
    Object.entries(serviceEnvironment({ name, main: 'main.js' }, { ...fleet, media }, given))
      .filter(([variable]) => variable.startsWith('PARLEY_LIVEKIT_'))
      .map(([, value]) => value)
  expect(valueFor('calls')).toEqual(Object.values(media))
  expect(valueFor('admin')).toEqual(['true', 'ws://127.0.0.1:7880'])
  expect(valueFor('rooms')).toEqual([])
  expect(valueFor('admin', { PARLEY_LIVEKIT_URL: 'wss://media.example.org' })).toContain('wss://media.example.org')
})

test('a process of several deployables gets the settings of each', () => {
  const compact = parleyServices('', 'compact').find(({ holds }) => holds !== undefined)
  if (compact?.holds === undefined) throw new Error('no process holds several deployables')
  const env = processEnvironment(compact, fleet, { PARLEY_LAYOUT: 'compact' })
  for (const held of compact.holds) {
    const {
      PARLEY_SERVICE: _,
      PARLEY_NATS_USER: __,
      PARLEY_NATS_PASSWORD: password,
      ...own
    } = serviceEnvironment(held, fleet, {})
    expect(env).toMatchObject(own)
    expect(env[`PARLEY_NATS_PASSWORD_${held.name.toUpperCase()}`]).toBe(password)
  }
  expect(env).toMatchObject({ PARLEY_SERVICE: 'compact', PARLEY_CALLS_HTTP_PORT: '0' })
  for (const name of ['PARLEY_NATS_USER', 'PARLEY_NATS_PASSWORD', 'PARLEY_LAYOUT']) expect(env).not.toHaveProperty(name)
})
