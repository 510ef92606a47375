import { hasFailed, toRunAgain } from './outcome.mjs'
import { runJest } from './run-jest.mjs'

/**
 * Runs suites (`{ config, args, env? }` each) in parallel. If few files failed and `once` is false, each of them runs
 * once more by itself. The callbacks are those of {@link runJest}; `onFile` also gets whether it was the first run,
 * and `onAgain` is called before a file runs once more. Resolves with the files of the first run, those that ran
 * again, and the number of suites that failed without a failed file.
 */
export async function runSuites(suites, { once = false, args = [], onTotal, onFile, onErrorLine, onAgain = () => {} }) {
  const runs = await Promise.all(
    suites.map((suite) =>
      runJest({ ...suite, args: [...suite.args, ...args], onTotal, onErrorLine, onFile: (file) => onFile(file, true) }),
    ),
  )
  const files = runs.flatMap((run) => run.files)
  const again = []
  for (const file of once ? [] : toRunAgain(files)) {
    const { config, env } = suites[runs.findIndex((run) => run.files.includes(file))]
    onAgain(file)
    const onlyFile = ['--runInBand', '--runTestsByPath', file.path]
    const second = await runJest({
      config,
      env,
      args: onlyFile,
      onErrorLine,
      onFile: (result) => onFile(result, false),
    })
    again.push(...second.files)
  }
  return { files, again, broken: runs.filter((run) => !run.clean && !run.files.some(hasFailed)).length }
}
