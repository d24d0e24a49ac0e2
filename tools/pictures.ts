/**
 * The README's pictures, of a report that was made for real, in light and dark: `tsx tools/pictures.ts FOLDER [NAME [SECTION]]`
 * writes docs/NAME.png and docs/NAME-dark.png, of the top of the page or of a section. By hand: a picture is of its moment, so
 * no test makes one.
 */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { RUN_FILES } from '../contract/run.ts'
import { projectPath } from '../scripts/project.ts'
import { CHROMIUM_REMEDY, findChromium } from './test/programs.ts'

/** CSS pixels: what a reader sees first, at half the size it is shown at. */
const SIZE = { width: 1180, height: 860 }

async function takePictures(page: { href: string; name: string }, executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await browser.newPage({ viewport: SIZE, colorScheme })
      await tab.goto(page.href)
      await tab.waitForLoadState('networkidle')
      const file = projectPath(join('docs', `${page.name}${colorScheme === 'dark' ? '-dark' : ''}.png`))
      await tab.screenshot({ path: file })
      console.log(`${file}: ${Math.round(statSync(file).size / 1000)} kB`)
    }
  } finally {
    await browser.close()
  }
}

const [folder = '', name = 'report', section = ''] = process.argv.slice(2)
const report = join(resolve(folder), RUN_FILES.reportHtml)
const chromiumPath = findChromium(process.env)
if (!existsSync(report) || !/^[a-z-]+$/.test(name)) {
  console.error(
    'Usage: tsx tools/pictures.ts FOLDER [NAME [SECTION]]; FOLDER holds a report.html, NAME is of small letters',
  )
  process.exitCode = 2
} else if (chromiumPath === undefined) {
  console.error(`No Chromium. ${CHROMIUM_REMEDY}`)
  process.exitCode = 3
} else {
  await takePictures({ href: `${pathToFileURL(report).href}#${section}`, name }, chromiumPath)
}
