import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, test } from '@jest/globals'
import { dataDirAt, repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { startIdentityProvider } from '../src/identity-provider.ts'
import { startMediaServer } from '../src/media-server.ts'
import { newPerson, operate } from '../src/people.ts'
import { waitUntilHealthy } from '../src/processes.ts'
import { Socket } from '@parley/testkit/realtime-socket'

afterEach(waitUntilHealthy)

type Doctor = { result: string; findings: { service: string; check: string; result: string; found: string }[] }
type Status = { ready: boolean; nodes: { service: string; sockets: number | null; outboxAgeSeconds: number | null }[] }

/** Accepts every exit code. */
async function examine(): Promise<Doctor> {
  const command = join(repositoryRoot(), 'packages/cli/dist/main.js')
  const child = spawn(process.execPath, [command, 'doctor', '--json', '--data-dir', fleet().dataDir])
  return JSON.parse(await text(child.stdout)) as Doctor
}

test('the doctor finds no failure in a running fleet, and shows no secret', async () => {
  await using _media = await startMediaServer()
  await using _provider = await startIdentityProvider()
  const { result, findings } = await examine()
  expect(findings.filter((finding) => finding.result === 'fail')).toEqual([])
  expect(result).not.toBe('fail')
  expect(new Set(findings.map(({ service }) => service)).size).toBe(9)
  for (const check of [
    'settings',
    'nats.permissions',
    'postgres.migrations',
    'nats.stream',
    'redis.rights',
    'storage.delete',
  ])
    expect(findings).toContainEqual(expect.objectContaining({ check, result: 'ok' }))
  const secrets = Object.values(JSON.parse(readFileSync(dataDirAt(fleet().dataDir).secretsFile, 'utf8')) as object)
  const shown = JSON.stringify(findings)
  expect(secrets.filter((secret) => shown.includes(String(secret)))).toEqual([])
})

test('the status lists every process, with numbers of sockets and ages of outboxes', async () => {
  const ada = await newPerson('ada')
  using _socket = await Socket.subscribe(fleet().realtimeNodes[0], ada.token)
  await eventually(async () => {
    const { ready, nodes } = (await operate(['status'])) as Status
    expect(ready).toBe(true)
    expect(nodes).toHaveLength(fleet().processes.length)
    const sockets = nodes.map((node) => node.sockets ?? 0)
    expect(Math.max(...sockets)).toBeGreaterThan(0)
    expect(nodes.filter(({ outboxAgeSeconds }) => outboxAgeSeconds !== null).length).toBeGreaterThan(0)
  })
})
