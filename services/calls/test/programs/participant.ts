// Measures how much of the received audio is the tone; with the role `speak` also sends the tone.
import {
  AudioFrame,
  AudioSource,
  AudioStream,
  EncryptionType,
  LocalAudioTrack,
  Room,
  RoomEvent,
  TrackKind,
  TrackPublishOptions,
  TrackSource,
  type RemoteTrack,
} from '@livekit/rtc-node'

const [url = '', token = '', key = '', role = ''] = process.argv.slice(2)
const sampleRate = 48_000
const toneHz = 440
const samplesPerFrame = sampleRate / 100

const room = new Room()
room.on(RoomEvent.TrackSubscribed, (track) => {
  if (track.kind === TrackKind.KIND_AUDIO) void listen(track)
})
room.on(RoomEvent.Disconnected, () => process.send?.({ disconnected: true }))
await room.connect(url, token, {
  ...{ autoSubscribe: true, dynacast: false },
  encryption: {
    encryptionType: EncryptionType.GCM,
    keyProviderOptions: { sharedKey: new TextEncoder().encode(key) },
  },
})
if (role === 'speak') void speak()
process.send?.('ready')

async function speak(): Promise<void> {
  const source = new AudioSource(sampleRate, 1)
  const track = LocalAudioTrack.createAudioTrack('tone', source)
  const options = new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE })
  await room.localParticipant?.publishTrack(track, options)
  for (let sample = 0; ; sample += samplesPerFrame) {
    const samples = Int16Array.from({ length: samplesPerFrame }, (_, n) => 12_000 * wave(sample + n, Math.sin))
    await source.captureFrame(new AudioFrame(samples, sampleRate, 1, samplesPerFrame))
  }
}

async function listen(track: RemoteTrack): Promise<void> {
  process.send?.({ subscribed: true })
  let samples: number[] = []
  for await (const frame of new AudioStream(track, sampleRate, 1)) {
    samples.push(...frame.data)
    if (samples.length < sampleRate / 5) continue
    const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length
    const correlate = (shape: (x: number) => number) =>
      samples.reduce((sum, value, n) => sum + value * wave(n, shape), 0) / samples.length
    const tone = 2 * (correlate(Math.sin) ** 2 + correlate(Math.cos) ** 2)
    process.send?.({ tone: power > 10_000 ? tone / power : 0 })
    samples = []
  }
}

function wave(n: number, shape: (x: number) => number): number {
  return shape((2 * Math.PI * toneHz * n) / sampleRate)
}
