import type { SerializedError } from 'vitest'
import { DefaultReporter, type TestModule, type TestRunEndReason } from 'vitest/node'
import { findMissing } from './required-programs.ts'

interface Counts {
  files: number
  tests: number
  seconds: number
}

/**
 * Reports a run in a few lines: one for each project, one for what is skipped because a program is not installed, and one
 * for each test that passed only when it was repeated, with its first error. A file with a failure is reported in full, as vitest does by default.
 */
export default class QuietReporter extends DefaultReporter {
  readonly #projects = new Map<string, Counts>()
  readonly #repeated: string[] = []

  protected override printTestModule(module: TestModule): void {
    const counts = this.#projects.get(module.project.name) ?? { files: 0, tests: 0, seconds: 0 }
    counts.files += 1
    counts.seconds += module.diagnostic().duration / 1000
    for (const test of module.children.allTests()) {
      counts.tests += 1
      const { retryCount = 0 } = test.diagnostic() ?? {}
      if (retryCount === 0) continue
      const { message, stacks } = test.result().errors?.[0] ?? {}
      const place = stacks?.map(({ file, line }) => `${this.relative(file)}:${line}`)[0]
      this.#repeated.push(`${this.relative(module.moduleId)} > ${test.fullName}\n     ${place}: ${message}`)
    }
    this.#projects.set(module.project.name, counts)
    if (module.state() === 'failed' || this.renderSucceed) super.printTestModule(module)
  }

  override onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): void {
    for (const [name, { files, tests, seconds }] of this.#projects) {
      this.log(` ${name.padEnd(11)} ${files} files, ${tests} tests, ${Math.round(seconds)} s in all workers`)
    }
    const missing = findMissing(this.ctx.projects.map(({ name }) => name))
    if (missing) this.log(` skipped: ${[...missing.tests].join(', ')}. To run them: ${missing.command}`)
    if (this.#repeated.length > 0) {
      this.log(` passed or failed only after a repetition, so these tests need mending:`)
      for (const name of this.#repeated) this.log(`   ${name}`)
    }
    if (modules.length > 0 || errors.length > 0) super.onTestRunEnd(modules, errors, reason)
    else
      this.log(
        ' No test file of this command has such a name. test/README.md says which command runs which file.',
      )
  }
}
