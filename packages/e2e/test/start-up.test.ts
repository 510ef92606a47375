import { readFileSync, statSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { methodPath, ownerOf, publicMethods } from '@parley/contracts/catalogue'
import { deployableNames } from '@parley/contracts/deployables'
import { fleet, isCompact, ownerCredentials, readyFileOf } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, type Person } from '../src/people.ts'
import { requestInternal } from '../src/processes.ts'

const names = isCompact() ? ['compact', 'realtime'] : deployableNames.toSorted()

describe('the ready file', () => {
  const content = () => JSON.parse(readFileSync(readyFileOf(fleet().dataDir), 'utf8')) as unknown

  test('contains the URL, the owner, and two processes of each service', () => {
    expect(content()).toEqual({
      url: fleet().gateways[0],
      ownerLogin: ownerCredentials.login,
      services: expect.any(Array),
      mailUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/\w+\/$/),
    })
    const serving = fleet()
      .state()
      .services.map(({ name }) => name)
    expect(serving.sort()).toEqual(names.flatMap((name) => [name, name]))
  })

  test('contains the pid and internal port of each process, and the URLs for clients', () => {
    const { services } = fleet().state()
    for (const { name, pid, internalPort, url } of services) {
      expect(process.kill(pid, 0)).toBe(true)
      expect(internalPort).toBeGreaterThan(0)
      if (['gateway', 'realtime', 'compact'].includes(name)) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    }
    expect(new Set(services.map(({ pid }) => pid)).size).toBe(names.length * 2)
    expect(new Set(services.map(({ internalPort }) => internalPort)).size).toBe(names.length * 2)
  })
})

test('only the operator can read the operator’s credential', () => {
  expect(statSync(`${fleet().dataDir}/run/operator.json`).mode & 0o777).toBe(0o600)
})

describe('every process', () => {
  test('reports that it is alive and ready', async () => {
    for (const service of fleet().state().services) {
      const health = await requestInternal(service, '/healthz')
      expect([health.status, JSON.parse(health.text)]).toEqual([200, { status: 'ok' }])
      const readiness = await requestInternal(service, '/readyz')
      expect([readiness.status, JSON.parse(readiness.text)]).toEqual([200, { status: 'ready' }])
    }
  })

  test('serves its metrics', async () => {
    for (const service of fleet().state().services) {
      const { status, text } = await requestInternal(service, '/metrics')
      expect(status).toBe(200)
      expect(text).toMatch(/^process_memory_usage_bytes \d+/m)
      expect(text).toContain(`service_name="${service.name}"`)
    }
  })
})

test.each([0, 1] as const)('gateway %i answers health and readiness on its public port', async (index) => {
  const base = fleet().gateways[index]
  expect(await (await fetch(`${base}/healthz`)).json()).toEqual({ status: 'ok' })
  expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'ready' })
})

describe('every public method', () => {
  let ada: Person
  beforeAll(async () => {
    ada = await newPerson('ada')
  })

  test('has exactly one owner, which answers through both gateways', async () => {
    const before = await callsServed()
    for (const method of publicMethods) {
      for (const base of fleet().gateways) {
        const answer = await postJson(`${base}/api/connect${methodPath(method)}`, {}, ada.authorization)
        expect([methodPath(method), answer.headers.get('parley-reason')]).toEqual([methodPath(method), null])
        expect([methodPath(method), answer.status < 500 || answer.status === 501]).toEqual([methodPath(method), true])
      }
    }
    const after = await callsServed()
    for (const method of publicMethods) {
      const name = methodPath(method).slice(1)
      const more = names.filter(
        (service) => (after.get(`${service} ${name}`) ?? 0) > (before.get(`${service} ${name}`) ?? 0),
      )
      expect([name, more]).toEqual([name, [isCompact() ? 'compact' : ownerOf(method)]])
    }
  })

  test('of svc.api and svc.admin requires a credential', async () => {
    const guarded = publicMethods.filter(({ parent }) => /^svc\.(api|admin)\./.test(parent.typeName))
    for (const method of guarded) {
      const { status, body } = await postJson(`${fleet().gateways[0]}/api/connect${methodPath(method)}`, {})
      expect([methodPath(method), status, body]).toEqual([
        ...[methodPath(method), 401],
        expect.objectContaining({ code: 'unauthenticated' }),
      ])
    }
  })
})

async function callsServed(): Promise<Map<string, number>> {
  const calls = new Map<string, number>()
  for (const service of fleet().state().services) {
    const { text } = await requestInternal(service, '/metrics')
    for (const [, method, count] of text.matchAll(
      /^rpc_server_call_duration_seconds_count\{rpc_method="([^"]+)"[^}]*\} (\d+)/gm,
    )) {
      const key = `${service.name} ${method}`
      calls.set(key, (calls.get(key) ?? 0) + Number(count))
    }
  }
  return calls
}
