import { followTutorial } from "./tutorial-reader.ts";

followTutorial("SQLite");
