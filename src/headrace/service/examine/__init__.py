"""An examination: is everything as it must be, and if not, what is to be done?"""

from headrace.service.examine.finding import Finding
from headrace.service.examine.run import Patient, examine

__all__ = ["Finding", "Patient", "examine"]
