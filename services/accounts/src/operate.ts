import { text } from 'node:stream/consumers'
import { Code, ConnectError } from '@connectrpc/connect'
import { answerDirectly } from './operator/answer.ts'

// Run by `parley --direct` while no service runs. Reads one request from standard input and writes one response to
// standard output.
const answer = await answerDirectly(await text(process.stdin)).catch((error: unknown) => {
  const { code, rawMessage } = ConnectError.from(error, Code.Unavailable)
  return { error: { code, message: rawMessage } }
})
process.stdout.write(`${JSON.stringify(answer)}\n`)
