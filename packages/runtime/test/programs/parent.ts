import { fork } from 'node:child_process'
import { writeSync } from 'node:fs'

const child = fork('test/programs/service.ts', { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
child.on('message', (message) => {
  writeSync(1, `${JSON.stringify(message)}\n`)
})
