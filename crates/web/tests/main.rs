//! The integration tests of `web`, one executable: each file is a module. They need Chromium, and say so where it is absent.

mod browser;
mod explorer;
mod report;
