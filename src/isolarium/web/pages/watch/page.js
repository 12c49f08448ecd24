// Watch: the runs in the record, or one of them.

import { readAddress } from "../shared/address.js";
import { RunPage } from "./run_page.js";
import { RunsPage } from "./runs_page.js";

export const title = "Watch";

export function open(main, keys) {
  const { run } = readAddress(location.search);
  const page = run ? new RunPage(run, keys) : new RunsPage();
  main.append(page.element);
  page.begin();
}
