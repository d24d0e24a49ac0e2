/**
 * The README's pictures of a real report, in light and dark: `tsx tools/pictures.ts FOLDER [NAME [SECTION]]` writes
 * docs/images/NAME.png and docs/images/NAME-dark.png, of the top of the page or of a section. Run by hand: no test creates pictures.
 */
import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from 'playwright-core'
import { RUN_FILES } from '../contract/run.ts'
import { projectPath } from '../scripts/project.ts'
import { CHROMIUM_REMEDY, findChromium } from './test/programs.ts'

/** In CSS pixels: shown at half its size. */
const SIZE = { width: 1180, height: 860 }

async function takePictures(page: { href: string; name: string }, executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const tab = await browser.newPage({ viewport: SIZE, colorScheme })
      await tab.goto(page.href)
      await tab.waitForLoadState('networkidle')
      const file = projectPath(
        join('docs/images', `${page.name}${colorScheme === 'dark' ? '-dark' : ''}.png`),
      )
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
    'Usage: tsx tools/pictures.ts FOLDER [NAME [SECTION]]; FOLDER contains a report.html, NAME is in lower case',
  )
  process.exitCode = 2
} else if (chromiumPath === undefined) {
  console.error(`No Chromium. ${CHROMIUM_REMEDY}`)
  process.exitCode = 3
} else {
  await takePictures({ href: `${pathToFileURL(report).href}#${section}`, name }, chromiumPath)
}
