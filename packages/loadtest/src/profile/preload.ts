import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

// Loaded into every process of a fleet that is profiled. The first SIGUSR2 starts a CPU profile; the next one stops it
// and writes it to PARLEY_PROFILES.
const session = new Session()
let running = false

async function toggle(): Promise<void> {
  if (running) {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(join(process.env['PARLEY_PROFILES'] ?? '.', `${process.pid}.cpuprofile`), JSON.stringify(profile))
  } else {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
    await session.post('Profiler.start')
  }
  running = !running
}

process.on('SIGUSR2', () => void toggle())
