import { writeSync } from 'node:fs'

const pipe = 3

/** Writes each test file's result as a line of JSON for the parent process. */
export default class Reporter {
  onRunStart({ numTotalTestSuites }) {
    send({ total: numTotalTestSuites })
  }

  onTestFileResult({ path }, result) {
    const resultsWith = (...statuses) => result.testResults.filter(({ status }) => statuses.includes(status))
    const { start, end } = result.perfStats
    send({
      file: {
        path,
        seconds: (end - start) / 1000,
        passed: resultsWith('passed').length,
        failed: resultsWith('failed').length,
        // With a name pattern, every test that does not match is pending.
        skipped: resultsWith('pending', 'skipped', 'todo', 'disabled').map(({ fullName }) => fullName),
        failure: result.failureMessage ?? undefined,
        printed: (result.console ?? []).filter(({ type }) => type === 'log').map(({ message }) => message),
      },
    })
  }
}

function send(message) {
  writeSync(pipe, `${JSON.stringify(message)}\n`)
}
