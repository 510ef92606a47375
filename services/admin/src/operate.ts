import { text } from 'node:stream/consumers'
import { Code, ConnectError } from '@connectrpc/connect'
import { answerDirectly } from './operator/answer.ts'

// The program that the operator's command runs without a fleet: one request on standard input, one response on standard
// output.
const answer = await answerDirectly(await text(process.stdin)).catch((error: unknown) => {
  const { code, rawMessage } = ConnectError.from(error, Code.Unavailable)
  return { error: { code, message: rawMessage } }
})
process.stdout.write(`${JSON.stringify(answer)}\n`)
