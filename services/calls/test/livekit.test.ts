import { randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { Resources } from '@parley/runtime'
import { eventually } from '@parley/testkit'
import { testLivekit } from '@parley/testkit/livekit'
import { openEnv } from './_env.ts'
import { connectParticipant } from './_participant.ts'

const opened = new Resources()
const livekit = await testLivekit()
if (livekit) opened.use(livekit)
else console.log('skipped: livekit-server is not on PATH')
const testWithLivekit = livekit ? test : test.skip

afterAll(async () => opened[Symbol.asyncDispose]())

testWithLivekit(
  'a participant with the key of the call hears the speaker, one with another key does not, and a banned one is disconnected',
  async () => {
    if (!livekit) return
    const env = opened.use(await openEnv({ compares: true }))
    await env.start({
      PARLEY_CALLS_HTTP_PORT: String(livekit.webhookPort),
      PARLEY_LIVEKIT_URL: livekit.url,
      PARLEY_LIVEKIT_API_KEY: livekit.apiKey,
      PARLEY_LIVEKIT_API_SECRET: livekit.apiSecret,
      PARLEY_LIVEKIT_SERVER_ID: 'tests',
    })
    env.rooms.set('Rtalk', ['Ualice', 'Ubob', 'Ueve'])
    const participants = opened.use(new Resources())
    const connect = async (userId: string, role: 'speak' | 'listen', otherKey?: string) => {
      const { token, e2eeKey } = await env.as(userId).getCallToken({ roomId: 'Rtalk' })
      const key = { e2eeKey: otherKey ?? e2eeKey }
      return participants.use(await connectParticipant({ url: livekit.url, token, role, ...key }))
    }
    await env.as('Ualice').joinCall({ roomId: 'Rtalk' })
    await connect('Ualice', 'speak')
    const eve = await connect('Ueve', 'listen', randomBytes(32).toString('base64'))
    const bob = await connect('Ubob', 'listen')
    await eventually(async () => expect(await env.inCall('Rtalk', 'Ualice')).toEqual(['Ualice', 'Ubob', 'Ueve']))
    const isTone = (share: number) => share > 0.5
    await eventually(
      () => {
        expect(bob.toneShares.filter(isTone).length).toBeGreaterThan(10)
        expect(eve.isSubscribed()).toBe(true)
      },
      { timeoutMs: 30_000 },
    )
    expect(eve.toneShares.filter(isTone)).toEqual([])

    env.rooms.remove('Rtalk', 'Ubob')
    await env.announce('member_banned', 'Rtalk', { case: 'banned', value: { userId: 'Ubob' } })
    await eventually(() => expect(bob.isDisconnected()).toBe(true))
    expect(await env.inCall('Rtalk', 'Ualice')).toEqual(['Ualice', 'Ueve'])

    await participants[Symbol.asyncDispose]()
    await eventually(async () => expect(await env.inCall('Rtalk', 'Ualice')).toBeUndefined(), { timeoutMs: 60_000 })
  },
  120_000,
)
