import { followTutorial } from "./follow-tutorial.ts";

followTutorial("SQLite");
