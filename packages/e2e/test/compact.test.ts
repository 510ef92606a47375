import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createParleyClient, type ParleyClient } from '@parley/client'
import { type Fleet, startFleet } from '@parley/local'
import { eventually } from '@parley/testkit'
import { WebSocket } from 'ws'
import { temporaryDataDir } from '../src/abandoned.ts'
import { isCompact } from '../src/fleet.ts'

const owner = { login: 'olga', password: 'the owner of a small server' }
const dataDir = temporaryDataDir()
const testUnlessCompact = isCompact() ? test.skip : test
const why = isCompact() ? ' (skipped: the fleet of this run is compact, so all other suites cover it)' : ''

let fleet: Fleet
beforeAll(async () => {
  if (isCompact()) return
  fleet = await startFleet({ layout: 'compact', dataDir, port: 0, owner, fsync: false })
})
afterAll(async () => {
  if (!isCompact()) await fleet.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

testUnlessCompact(
  `the compact layout runs as two processes, and a post outlives the process that acknowledged it${why}`,
  async () => {
    expect(fleet.services.map(({ name }) => name).sort()).toEqual(['compact', 'realtime'])
    // Connect directly to a node, because the gateway is killed with messaging.
    const node = fleet.services.find(({ name }) => name === 'realtime')?.url ?? ''
    const client = createParleyClient({ baseUrl: fleet.url, webSocket: WebSocket })
    await client.signIn(owner)
    const { groups } = await client.api.roomDirectory.listRoomGroups({})
    const { room } = await client.api.room.createRoom({ name: 'plans', groupId: groups[0]?.id ?? '' })
    const roomId = room?.id ?? ''
    using realtime = openStream(client, node)
    await realtime.opened
    const post = async (body: string) => {
      const headers = { 'idempotency-key': body }
      return (await client.api.message.createMessage({ roomId, body }, { headers })).message?.id ?? ''
    }
    const before = await post('before')
    await eventually(() => expect(realtime.received).toEqual([before]))

    fleet.kill('messaging', 'SIGKILL')
    const after = await eventually(() => post('after'), { timeoutMs: 30_000 })
    const posted = await eventually(async () => {
      const { page } = await client.api.room.getRoomEvents({ roomId })
      return page?.events.flatMap(({ id, event }) => (event.case === 'messagePosted' ? [id] : []))
    })
    expect(posted).toEqual([before, after])
    await eventually(() => expect(realtime.received).toEqual([before, after]), { timeoutMs: 30_000 })
  },
)

function openStream(client: ParleyClient, node: string) {
  const stream = client.realtime({ url: `${node.replace('http', 'ws')}/api/realtime` })
  const received: string[] = []
  stream.on('messagePosted', ({ messageEventId }) => received.push(messageEventId))
  return { received, opened: stream.opened, [Symbol.dispose]: () => stream.close() }
}
